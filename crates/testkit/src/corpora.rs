//! Access to the recorded streams and conformance suites, which are stored outside the repository.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Returns the folder of the corpora: `$WINDLASS_CORPORA`, or else `shared/corpora` in one of the folders
/// above the crate under test. Returns `None` if it does not exist; a test then skips with a one-line
/// message.
pub fn root() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("WINDLASS_CORPORA") {
        return Some(PathBuf::from(given)).filter(|path| path.is_dir());
    }
    let from = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
    from.ancestors().map(|folder| folder.join("shared/corpora")).find(|path| path.is_dir())
}

/// Returns the path of a file or folder of the corpora. Prints a "skipped" line to stderr if it is missing.
///
/// ```
/// if let Some(path) = windlass_testkit::corpora::find("sse/pairs_launchdarkly.jsonl") {
///     assert!(path.is_file());
/// }
/// ```
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub fn find(path: &str) -> Option<PathBuf> {
    let found = root().map(|root| root.join(path)).filter(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: no corpora/{path}");
    }
    found
}

/// Reads the rows of a `.jsonl` file.
///
/// # Panics
/// The file cannot be read, or a line is not JSON.
pub fn rows(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("the corpus file is readable text");
    text.lines().map(|line| serde_json::from_str(line).expect("each line of a .jsonl file is JSON")).collect()
}

/// Reads the files of a folder, sorted by name.
///
/// # Panics
/// The folder or a file cannot be read.
pub fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus folder is readable")
        .map(|entry| entry.expect("the entry is readable").path())
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, std::fs::read(&path).expect("the corpus file is readable"))
        })
        .collect();
    files.sort();
    files
}
