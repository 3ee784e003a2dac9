//! One question in the folder, and the answer to it. Everything here blocks.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, Stat};
use rustix::io::Errno;
use serde::Deserialize;
use windlass_hitl::{ApprovalDecision, Digest};

use super::RefusedFileReason as Reason;
use super::folder::{DECISION, Folder, REQUEST, reading};

/// The most bytes of an answer.
const ANSWER_BYTES: u64 = 64 * 1024;

/// A question in the folder. It is taken out when this is dropped.
pub(super) struct Posted {
    folder: Arc<Folder>,
    id: String,
    digest: Digest,
    /// Locked while the question is open: a question whose lock is free was left by a process that died.
    _lock: File,
}

/// What a look at an answer found.
pub(super) enum Look {
    Nothing,
    /// The answer is being written.
    Incomplete,
    Answer(ApprovalDecision),
}

/// What is read of the answer.
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
    /// What was shown, if whoever answers says it.
    #[serde(default)]
    digest: Option<Digest>,
}

impl Posted {
    pub(super) fn new(folder: Arc<Folder>, id: String, digest: Digest, lock: File) -> Self {
        Self { folder, id, digest, _lock: lock }
    }

    /// Looks for the answer, and takes it. A file that is none is refused, unless it is not whole yet and the reader
    /// is patient.
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
        let file = match rustix::fs::openat(&self.folder.dir, name, reading(), Mode::empty()) {
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
        Ok(Some(decision))
    }
}

impl Drop for Posted {
    fn drop(&mut self) {
        self.folder.end(&self.id);
        let _ = rustix::fs::unlinkat(&self.folder.dir, format!("{}{REQUEST}", self.id), AtFlags::empty());
        // An answer that came while the question ended.
        let name = format!("{}{DECISION}", self.id);
        if rustix::fs::statat(&self.folder.dir, &name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            self.folder.refuse(&name, Reason::Late);
        }
    }
}

/// Why a file is no answer, and whether it only breaks off.
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
