//! Reads the files of a checkpoint from the repository.

use std::path::PathBuf;

use crate::CheckpointError;
use crate::git::Git;
use crate::object::{Object, ObjectKind, Oid};
use crate::scan::{KnownFile, Names};

const LIST: &str = "ls-tree";

/// Returns all files of a checkpoint.
pub(crate) fn names(git: &Git, commit: Oid) -> Result<Names, CheckpointError> {
    let commit = commit.to_string();
    let listed = git.ask(LIST, [LIST, "-r", "-z", "--full-tree", &commit], u64::MAX)?;
    let lines = listed.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let said = || CheckpointError::Git {
                step: LIST,
                said: "a line of its output is \
                                                                    invalid"
                    .to_owned(),
            };
            one(line).ok_or_else(said)
        })
        .collect()
}

fn one(line: &[u8]) -> Option<(PathBuf, KnownFile)> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let (facts, path) = line.split_at_checked(tab)?;
    let mut facts = facts.split(|byte| *byte == b' ');
    let kind = ObjectKind::from_mode(facts.next()?)?;
    let oid = Oid::parse(facts.nth(1)?)?;
    Some((path_of(path.get(1..)?), KnownFile::unseen(Object { kind, oid })))
}

#[cfg(unix)]
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// Returns the contents of objects, in the order of their ids.
pub(crate) fn blobs(git: &Git, oids: &[Oid]) -> Result<Vec<Vec<u8>>, CheckpointError> {
    const STEP: &str = "cat-file";
    let asked: Vec<String> = oids.iter().map(Oid::to_string).collect();
    let said = git.tell(STEP, [STEP, "--batch"], (asked.join("\n") + "\n").into_bytes())?;
    let mut rest = said.as_slice();
    let mut taken = || -> Option<Vec<u8>> {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let (head, after) = rest.split_at_checked(end)?;
        let len: usize = std::str::from_utf8(head).ok()?.rsplit(' ').next()?.parse().ok()?;
        let (bytes, after) = after.get(1..)?.split_at_checked(len)?;
        rest = after.get(1..)?;
        Some(bytes.to_vec())
    };
    let mut blobs = Vec::with_capacity(oids.len());
    for oid in oids {
        let bytes = taken().filter(|bytes| Oid::hash_blob(bytes) == *oid);
        let said = || CheckpointError::Git { step: STEP, said: format!("the object {oid} does not exist") };
        blobs.push(bytes.ok_or_else(said)?);
    }
    Ok(blobs)
}
