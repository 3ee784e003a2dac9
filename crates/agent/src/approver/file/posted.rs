//! One request in the folder and the reading of its answer. All functions block.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, Stat};
use rustix::io::Errno;
use serde::Deserialize;
use serde_json::Value;
use windlass_hitl::{ApprovalDecision, Digest};
use windlass_protocol::Arguments;

use super::RefusedFileReason as Reason;
use super::folder::{DECISION, Folder, REQUEST, read_flags};

/// The maximum size of an answer file.
const ANSWER_BYTES: u64 = 64 * 1024;

/// An open request in the folder. Dropping it removes the request file.
pub(super) struct PostedRequest {
    folder: Arc<Folder>,
    id: String,
    digest: Digest,
    /// The locked request file. A request file without a lock was left by a process that has ended.
    _lock: File,
}

/// The result of a check for the answer.
pub(super) enum Look {
    Nothing,
    /// The answer file is still being written.
    Incomplete,
    Answer(ApprovalDecision),
}

/// The content of an answer file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DecisionFile {
    request_id: String,
    approved: bool,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    remember: bool,
    #[serde(default)]
    always_allow: bool,
    /// The changed arguments of an approved call: an object, or the text of one.
    #[serde(default)]
    arguments: Option<Value>,
    /// The digest of the request that was answered, if the file contains it.
    #[serde(default)]
    digest: Option<Digest>,
}

impl PostedRequest {
    pub(super) fn new(folder: Arc<Folder>, id: String, digest: Digest, lock: File) -> Self {
        Self { folder, id, digest, _lock: lock }
    }

    /// Reads and removes the answer. An invalid file is refused; an incomplete file is left if `is_patient`
    /// is set.
    pub(super) fn look(&self, is_patient: bool) -> Look {
        self.folder.sweep();
        let name = format!("{}{DECISION}", self.id);
        match self.read(&name) {
            Ok(None) => Look::Nothing,
            Ok(Some(decision)) => {
                let _ = rustix::fs::unlinkat(&self.folder.dir, &name, AtFlags::empty());
                Look::Answer(decision)
            }
            Err(Unfit { is_cut: true, .. }) if is_patient => Look::Incomplete,
            Err(Unfit { reason, .. }) => {
                self.folder.refuse(&name, reason);
                Look::Nothing
            }
        }
    }

    fn read(&self, name: &str) -> Result<Option<ApprovalDecision>, Unfit> {
        let file = match rustix::fs::openat(&self.folder.dir, name, read_flags(), Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::MLINK | Errno::NXIO) => return Err(Reason::NotAFile.into()),
            Err(error) => return Err(Reason::System(error.to_string()).into()),
        };
        let stat = rustix::fs::fstat(&file).map_err(|error| Reason::System(error.to_string()))?;
        check_answer(&stat)?;
        let mut text = Vec::new();
        File::from(file)
            .take(ANSWER_BYTES.saturating_add(1))
            .read_to_end(&mut text)
            .map_err(|error| Reason::System(error.to_string()))?;
        if text.len() as u64 > ANSWER_BYTES {
            return Err(Reason::TooLarge.into());
        }
        let answer: DecisionFile = serde_json::from_slice(&text).map_err(|error| Unfit {
            is_cut: error.is_eof(),
            reason: Reason::Malformed(error.to_string()),
        })?;
        if answer.request_id != self.id {
            return Err(Reason::WrongQuestion.into());
        }
        if answer.digest.as_ref().is_some_and(|digest| *digest != self.digest) {
            return Err(Reason::WrongDigest.into());
        }
        let mut decision = ApprovalDecision::approve(answer.request_id);
        decision.approved = answer.approved;
        decision.reason = answer.reason;
        decision.remember = answer.remember;
        decision.always_allow = answer.always_allow;
        decision.arguments = answer.arguments.map(read_arguments).transpose()?;
        Ok(Some(decision))
    }
}

/// Reads changed arguments. `Arguments` bounds the number of their values, and [`ANSWER_BYTES`] their length.
fn read_arguments(value: Value) -> Result<Arguments, Unfit> {
    let text = match value {
        Value::String(text) => text,
        value => value.to_string(),
    };
    Arguments::parse(text).map_err(|error| Reason::Malformed(error.to_string()).into())
}

impl Drop for PostedRequest {
    fn drop(&mut self) {
        self.folder.end(&self.id);
        let _ = rustix::fs::unlinkat(&self.folder.dir, format!("{}{REQUEST}", self.id), AtFlags::empty());
        // The answer arrived while the request ended.
        let name = format!("{}{DECISION}", self.id);
        if rustix::fs::statat(&self.folder.dir, &name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            self.folder.refuse(&name, Reason::Late);
        }
    }
}

/// The reason why an answer file is invalid. `is_cut` is set if its JSON is incomplete.
struct Unfit {
    reason: Reason,
    is_cut: bool,
}

impl From<Reason> for Unfit {
    fn from(reason: Reason) -> Self {
        Self { reason, is_cut: false }
    }
}

fn check_answer(stat: &Stat) -> Result<(), Reason> {
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Reason::NotAFile);
    }
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(Reason::NotOurs);
    }
    if Mode::from_raw_mode(stat.st_mode).intersects(Mode::WGRP | Mode::WOTH) {
        return Err(Reason::Writable);
    }
    if u64::try_from(stat.st_size).is_ok_and(|size| size > ANSWER_BYTES) {
        return Err(Reason::TooLarge);
    }
    Ok(())
}
