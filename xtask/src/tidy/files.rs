//! Determines the files of the project.

use std::path::Path;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

/// Folders that builds and fuzzing create; excluded only if git cannot list the files.
const MADE: [&str; 5] = ["target", ".git", "corpus", "artifacts", "coverage"];

/// Returns tracked files and new files that are not ignored, as paths from the root. In an unpacked archive
/// without git, returns everything except build output.
pub(super) fn list_project_files(sh: &Shell) -> Result<Vec<String>> {
    let listing =
        cmd!(sh, "git ls-files -z --cached --others --exclude-standard").quiet().ignore_stderr().read();
    let mut paths = Vec::new();
    match listing {
        Ok(names) if !names.is_empty() => paths.extend(names.split('\0').map(str::to_owned)),
        _ => walk(sh, &sh.current_dir(), &mut paths)?,
    }
    // A deleted file is listed until its deletion is committed; a link counts at its target.
    paths.retain(|path| sh.current_dir().join(path).is_file());
    paths.sort();
    Ok(paths)
}

fn walk(sh: &Shell, folder: &Path, paths: &mut Vec<String>) -> Result<()> {
    for path in sh.read_dir(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !path.is_symlink() {
            if !MADE.contains(&name.as_ref()) {
                walk(sh, &path, paths)?;
            }
        } else {
            let relative = path.strip_prefix(sh.current_dir()).context("a path outside of the project")?;
            paths.push(relative.to_string_lossy().into_owned());
        }
    }
    Ok(())
}
