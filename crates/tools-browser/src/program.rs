//! Where a Chromium is: fixed places that no workspace can change, and never the search path.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Whole paths, before the names: the browser itself and not a script that starts it.
const FILES: [&str; 9] = [
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/usr/lib/chromium/headless_shell",
    "/usr/lib64/chromium-browser/headless_shell",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const FOLDERS: [&str; 2] = ["/usr/bin", "/usr/local/bin"];
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell"];

/// The first Chromium that there is.
pub(crate) fn find() -> Option<PathBuf> {
    let names = FOLDERS.iter().flat_map(|folder| NAMES.iter().map(|name| Path::new(folder).join(name)));
    FILES.iter().map(PathBuf::from).chain(names).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
