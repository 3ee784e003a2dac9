//! Access to the recorded streams and conformance suites, which are stored outside the repository.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Returns the folder of the corpora: `$WINDLASS_CORPORA`, or else `shared/corpora` in one of the folders
/// above the crate under test. Returns `None` if it does not exist.
pub fn root() -> Option<PathBuf> {
    find_folder("WINDLASS_CORPORA", "shared/corpora")
}

/// Returns the path of a file or folder of the corpora.
///
/// ```
/// use windlass_testkit::{Need, corpora, require};
///
/// fn the_contract_test_corpus_holds() {
///     let path = require!(Need::Corpora, corpora::find("sse/pairs_launchdarkly.jsonl"));
///     assert!(path.is_file());
/// }
/// # the_contract_test_corpus_holds();
/// ```
///
/// # Errors
/// The file or folder does not exist.
pub fn find(path: &str) -> Result<PathBuf, String> {
    let found = root().map(|root| root.join(path)).filter(|path| path.exists());
    found.ok_or_else(|| format!("corpora/{path} does not exist"))
}

/// Returns the path of a file of the catalogue of attacks: below `$WINDLASS_ATTACKS`, or else below
/// `shared/attacks` in one of the folders above the crate under test.
///
/// # Errors
/// The file does not exist.
pub fn find_attacks(file: &str) -> Result<PathBuf, String> {
    let folder = find_folder("WINDLASS_ATTACKS", "shared/attacks");
    let found = folder.map(|folder| folder.join(file)).filter(|path| path.is_file());
    found.ok_or_else(|| format!("attacks/{file} does not exist; WINDLASS_ATTACKS can name its folder"))
}

/// Returns the folder that the variable names, or else this folder in one of the folders above the crate under
/// test.
fn find_folder(variable: &str, folder: &str) -> Option<PathBuf> {
    if let Some(given) = std::env::var_os(variable) {
        return Some(PathBuf::from(given)).filter(|path| path.is_dir());
    }
    let from = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
    from.ancestors().map(|above| above.join(folder)).find(|path| path.is_dir())
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
