//! Search for a Chromium: only in fixed places that no workspace can change, never in the search path.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Paths of the browser's own binary, which are tried before the names: a name can be a script that starts
/// the browser.
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

/// Returns the first Chromium that exists.
pub(crate) fn find() -> Option<PathBuf> {
    let names = FOLDERS.iter().flat_map(|folder| NAMES.iter().map(|name| Path::new(folder).join(name)));
    FILES.iter().map(PathBuf::from).chain(names).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
