//! Asserts about files that must be absent or unchanged.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::{Evidence, take_around};

/// The maximum length of a file that is compared byte by byte.
const READ_BYTES: u64 = 16 << 20;

pub(super) fn check(name: &str, wanted: &Value, evidence: &Evidence<'_>) -> anyhow::Result<Option<String>> {
    match name {
        "file_absent" => {
            let path = Path::new(wanted.as_str().context("`file_absent` is a path")?);
            Ok(path.symlink_metadata().is_ok().then(|| format!("{} is there", path.display())))
        }
        "outside_unchanged" => {
            let changes = evidence.before.around.changes(&take_around(evidence.scene));
            describe_failure(wanted, changes.is_empty(), || {
                format!("outside changed: {}", changes.join(", "))
            })
        }
        "workspace_exists" => {
            let is_there = evidence.scene.workspace.join("README.md").is_file();
            describe_failure(wanted, is_there, || "the workspace is gone".to_owned())
        }
        "unchanged" => {
            let name = wanted.as_str().context("`unchanged` is a path")?;
            let path = evidence.scene.workspace.join(name);
            let before = evidence.before.workspace.iter().find(|(known, _)| *known == path);
            let (_, before) = before.with_context(|| format!("{name} did not exist"))?;
            let is_same = fs::read(&path).is_ok_and(|now| now == *before);
            Ok((!is_same).then(|| format!("{name} has changed")))
        }
        "other_bytes_identical" => other_bytes(wanted, evidence),
        "mode" => {
            let mode = evidence.observed.measures.get("mode").and_then(Value::as_u64);
            let met = format!("{:04o}", mode.context("no file's mode was measured")?);
            let wanted = wanted.as_str().context("`mode` is a text of octal digits")?;
            Ok((met != wanted).then(|| format!("the mode is {met}, not {wanted}")))
        }
        _ => bail!("the assert `{name}` is not known"),
    }
}

fn describe_failure(wanted: &Value, holds: bool, why: impl Fn() -> String) -> anyhow::Result<Option<String>> {
    let wanted = wanted.as_bool().context("it is true or false")?;
    Ok((wanted != holds).then(why))
}

/// Returns all files of a folder with their bytes.
pub(super) fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(about) = path.symlink_metadata() else { continue };
        if about.is_dir() && entry.file_name() != ".git" {
            found.extend(contents(&path));
        } else if about.is_file() && about.len() <= READ_BYTES {
            let bytes = fs::read(&path).unwrap_or_default();
            found.push((path, bytes));
        }
    }
    found
}

/// Returns the mode bits of a file.
pub(crate) fn mode(path: &Path) -> std::io::Result<u64> {
    Ok(u64::from(fs::metadata(path)?.permissions().mode() & 0o7777))
}

/// Checks that every line that the input's patch does not name is unchanged, byte for byte.
fn other_bytes(wanted: &Value, evidence: &Evidence<'_>) -> anyhow::Result<Option<String>> {
    let patch = evidence.input.get("patch").and_then(Value::as_str);
    let patch = patch.context("`other_bytes_identical` needs a patch in the input")?;
    let named = |sign: char| {
        patch.lines().filter_map(|line| line.strip_prefix(sign)).map(str::as_bytes).collect::<Vec<_>>()
    };
    let (removed, added) = (named('-'), named('+'));
    for (path, before) in &evidence.before.workspace {
        let now = fs::read(path).unwrap_or_default();
        let kept = others(before, &removed) == others(&now, &added);
        if now != *before && !kept {
            return describe_failure(wanted, false, || format!("other bytes of {} changed", path.display()));
        }
    }
    describe_failure(wanted, true, || "all other bytes are identical".to_owned())
}

fn others<'a>(bytes: &'a [u8], named: &[&[u8]]) -> Vec<&'a [u8]> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| !named.contains(&line.strip_suffix(b"\n").unwrap_or(line))).collect()
}
