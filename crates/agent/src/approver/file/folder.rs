//! The folder of requests and answers. All functions block.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, Dir, Mode, OFlags};
use rustix::io::Errno;
use serde::Serialize;
use windlass_hitl::ApprovalRequest;

use super::ended::EndedRequests;
use super::posted::PostedRequest;
use super::{RefusedFile, RefusedFileReason as Reason};

pub(super) const REQUEST: &str = ".request.json";
pub(super) const DECISION: &str = ".decision.json";
const REFUSED: &str = "refused";

/// Directory entries that one check reads. Further entries are found after these files are removed.
const NAMES: usize = 4096;

/// The reason why a folder cannot be used for approvals.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalFolderError {
    /// The folder cannot be created or opened.
    #[error("the folder {} cannot be {doing}", path.display())]
    Io {
        /// The path of the folder.
        path: PathBuf,
        /// The action that failed, as a past participle for the message.
        doing: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The folder belongs to another user, who could approve calls.
    #[error("the folder {} belongs to another user", path.display())]
    NotOurs {
        /// The path of the folder.
        path: PathBuf,
    },
    /// Other users can write to the folder and could approve calls.
    #[error("other users can write to the folder {}: run chmod go-w", path.display())]
    Writable {
        /// The path of the folder.
        path: PathBuf,
    },
}

/// The folder. All accesses use the same open descriptor, so that the path cannot be exchanged later.
pub(super) struct Folder {
    path: PathBuf,
    pub(super) dir: OwnedFd,
    refused: OwnedFd,
    state: Mutex<State>,
}

type Teller = Box<dyn Fn(&RefusedFile) + Send + Sync>;

#[derive(Default)]
struct State {
    open: BTreeSet<String>,
    ended: EndedRequests,
    /// Names of files that could be neither moved nor removed; they are reported only once.
    stuck: BTreeSet<String>,
    tell: Option<Arc<Teller>>,
}

/// The content of a request file.
#[derive(Serialize)]
struct RequestFile<'a> {
    version: u32,
    asked_at_ms: u64,
    request: &'a ApprovalRequest,
}

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Self, ApprovalFolderError> {
        let failed = |doing| move |source| ApprovalFolderError::Io { path: path.to_owned(), doing, source };
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed("made"))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = rustix::fs::open(path, flags, Mode::empty())
            .map_err(io::Error::from)
            .map_err(failed("opened"))?;
        check_folder(&dir, path)?;
        match rustix::fs::mkdirat(&dir, REFUSED, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(failed("used")(error.into())),
        }
        let refused = rustix::fs::openat(&dir, REFUSED, flags | OFlags::NOFOLLOW, Mode::empty())
            .map_err(io::Error::from)
            .map_err(failed("used"))?;
        check_folder(&refused, &path.join(REFUSED))?;
        Ok(Self { path: path.to_owned(), dir, refused, state: Mutex::default() })
    }

    pub(super) fn tell_to(&self, tell: Teller) {
        self.state().tell = Some(Arc::new(tell));
    }

    /// Writes a request into the folder. Returns `None` if that fails, and reports the failure.
    pub(super) fn post(self: &Arc<Self>, request: ApprovalRequest) -> Option<PostedRequest> {
        let id = request.request_id.clone();
        let name = format!("{id}{REQUEST}");
        let is_name = (1..=128).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        if !is_name {
            let reason = Reason::Malformed("the question's id is not a valid file name".to_owned());
            self.tell(&RefusedFile { file: name, reason, moved_to: None });
            return None;
        }
        self.refuse_early(&id);
        self.state().open.insert(id.clone());
        match self.write(&id, &name, &request) {
            Ok(lock) => Some(PostedRequest::new(self.clone(), id, request.digest, lock)),
            Err(error) => {
                self.state().open.remove(&id);
                self.tell(&RefusedFile {
                    file: name,
                    reason: Reason::System(error.to_string()),
                    moved_to: None,
                });
                None
            }
        }
    }

    /// Refuses an answer file that existed before its request.
    fn refuse_early(&self, id: &str) {
        let is_there = |ending| {
            let name = format!("{id}{ending}");
            rustix::fs::statat(&self.dir, &name, AtFlags::SYMLINK_NOFOLLOW).is_ok().then_some(name)
        };
        // If a request file of an ended process exists, the answer is valid: the resumed run repeats that
        // request.
        if let (Some(decision), None) = (is_there(DECISION), is_there(REQUEST)) {
            self.refuse(&decision, Reason::NotAsked);
        }
    }

    /// Writes a temporary file, locks it, and renames it, so that a request file is always complete and
    /// locked.
    fn write(&self, id: &str, name: &str, request: &ApprovalRequest) -> io::Result<File> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let asked_at_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let text = serde_json::to_vec_pretty(&RequestFile { version: 1, asked_at_ms, request })?;
        let making = format!(".{id}.making");
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.dir, &making, flags, Mode::RUSR | Mode::WUSR)?;
        let mut file = File::from(file);
        let written = file.write_all(&text).and_then(|()| Ok(file.try_lock()?));
        let named = written.and_then(|()| Ok(rustix::fs::renameat(&self.dir, &making, &self.dir, name)?));
        if named.is_err() {
            let _ = rustix::fs::unlinkat(&self.dir, &making, AtFlags::empty());
        }
        named.map(|()| file)
    }

    /// Refuses files that do not answer an open request, and removes requests of processes that have ended.
    pub(super) fn sweep(&self) {
        let Ok(names) = Dir::read_from(&self.dir) else { return };
        for entry in names.take(NAMES) {
            let Ok(entry) = entry else { return };
            let Ok(name) = entry.file_name().to_str() else { continue };
            if let Some(id) = name.strip_suffix(DECISION) {
                self.sweep_decision(name, id);
            } else if let Some(id) = name.strip_suffix(REQUEST) {
                self.sweep_request(name, id);
            }
        }
    }

    fn sweep_decision(&self, name: &str, id: &str) {
        // Another process can use the same folder; its request file is here too.
        let is_asked =
            rustix::fs::statat(&self.dir, format!("{id}{REQUEST}"), AtFlags::SYMLINK_NOFOLLOW).is_ok();
        let (is_open, has_ended) = {
            let state = self.state();
            (state.open.contains(id), state.ended.contains(id))
        };
        if !is_open && !is_asked {
            self.refuse(name, if has_ended { Reason::Late } else { Reason::NotAsked });
        }
    }

    fn sweep_request(&self, name: &str, id: &str) {
        if self.state().open.contains(id) {
            return;
        }
        let Ok(file) = rustix::fs::openat(&self.dir, name, read_flags(), Mode::empty()) else { return };
        if File::from(file).try_lock().is_ok() {
            let _ = rustix::fs::unlinkat(&self.dir, name, AtFlags::empty());
        }
    }

    /// Moves a file to the folder `refused` and reports it.
    pub(super) fn refuse(&self, name: &str, reason: Reason) {
        if self.state().stuck.contains(name) {
            return;
        }
        let mut random = [0_u8; 8];
        let _ = getrandom::fill(&mut random);
        let moved_to = format!("{name}.{:016x}", u64::from_be_bytes(random));
        let moved = match rustix::fs::renameat(&self.dir, name, &self.refused, &moved_to) {
            Ok(()) => Some(moved_to),
            // Another process has moved or removed the file.
            Err(Errno::NOENT) => return,
            Err(_) => {
                if rustix::fs::unlinkat(&self.dir, name, AtFlags::empty()).is_err() {
                    self.state().stuck.insert(name.to_owned());
                }
                None
            }
        };
        self.tell(&RefusedFile { file: name.to_owned(), reason, moved_to: moved });
    }

    fn tell(&self, refused: &RefusedFile) {
        let tell = self.state().tell.clone();
        if let Some(tell) = tell {
            tell(refused);
        }
    }

    pub(super) fn end(&self, id: &str) {
        let mut state = self.state();
        state.open.remove(id);
        state.ended.insert(id);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.sweep();
    }
}

impl std::fmt::Debug for Folder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Folder").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Returns flags that do not follow links, do not wait for a pipe and do not make a terminal the controlling
/// one.
pub(super) fn read_flags() -> OFlags {
    OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC
}

fn check_folder(dir: impl AsFd, path: &Path) -> Result<(), ApprovalFolderError> {
    let path = path.to_owned();
    let stat = match rustix::fs::fstat(dir) {
        Ok(stat) => stat,
        Err(error) => return Err(ApprovalFolderError::Io { path, doing: "looked at", source: error.into() }),
    };
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(ApprovalFolderError::NotOurs { path });
    }
    if Mode::from_raw_mode(stat.st_mode).intersects(Mode::WGRP | Mode::WOTH) {
        return Err(ApprovalFolderError::Writable { path });
    }
    Ok(())
}
