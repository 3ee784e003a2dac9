#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "git is started here, on a repository that is kept here")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod checkpoints;
mod diff;
mod error;
mod restore;

mod git;
mod lock;
mod object;
mod omitted;
mod scan;
mod snapshot;
mod tree;
mod walk;

pub use checkpoints::{Checkpoint, CheckpointId, Checkpoints, TakeResult};
pub use diff::{Diff, DiffEnd};
pub use error::{CheckpointError, NoGit};
pub use restore::{ForeignChanges, RestoreResult, SkipReason, SkippedFile};
pub use scan::{CheckpointLimits, OmittedFiles};
