//! The files of a setup: contents, links, hard links, FIFOs.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use anyhow::Context as _;
use rustix::fs::{CWD, FileType, Mode, mknodat};

/// Writes one file into the workspace and replaces an existing one.
pub(super) fn lay(workspace: &Path, name: &str, content: &str) -> anyhow::Result<()> {
    let path = workspace.join(name);
    fs::create_dir_all(path.parent().context("a file has a folder")?)?;
    if path.symlink_metadata().is_ok_and(|about| !about.is_dir()) {
        fs::remove_file(&path)?;
    }
    if let Some(target) = content.strip_prefix("-> ") {
        symlink(target, &path)?;
    } else if let Some(target) = content.strip_prefix("hardlink of ") {
        fs::hard_link(workspace.join(target), &path)?;
    } else if content == "fifo" {
        mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0)?;
    } else {
        fs::write(&path, content)?;
        // A script or a hook that cannot run would prove nothing.
        if content.starts_with("#!") {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

/// Returns the names in a text that contain a size, such as `sparse_10G.bin`, with the size in bytes.
pub(super) fn sparse_names(text: &str) -> Vec<(String, u64)> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-');
    text.split(|letter| !is_name(letter))
        .filter_map(|name| {
            let size = name.strip_prefix("sparse_")?.split('.').next()?;
            let (number, unit) = size.split_at_checked(size.len().checked_sub(1)?)?;
            let unit: u64 = match unit {
                "K" => 1 << 10,
                "M" => 1 << 20,
                "G" => 1 << 30,
                _ => return None,
            };
            Some((name.to_owned(), number.parse::<u64>().ok()?.checked_mul(unit)?))
        })
        .collect()
}
