//! The values of checkpoints, differences and restores.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_checkpoint::{Checkpoint, ForeignChanges, RestoreResult, SkipReason};

/// A checkpoint of the files of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckpointValue {
    /// Id of the checkpoint.
    pub(crate) id: String,
    /// `before turn 1`, `after turn 1` and so on, or `before restore to ID`.
    pub(crate) label: String,
    /// Time of the checkpoint, in milliseconds since 1970.
    pub(crate) at_ms: u64,
}

impl From<&Checkpoint> for CheckpointValue {
    fn from(checkpoint: &Checkpoint) -> Self {
        Self {
            id: checkpoint.id.to_string(),
            label: checkpoint.label.clone(),
            at_ms: checkpoint.seconds.saturating_mul(1_000),
        }
    }
}

/// The checkpoints of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckpointsValue {
    /// Id of the run.
    pub(crate) run: String,
    /// The checkpoints, the oldest first.
    pub(crate) checkpoints: Vec<CheckpointValue>,
}

/// The changes of files.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DiffValue {
    /// Id of the run.
    pub(crate) run: String,
    /// A unified diff of all files.
    pub(crate) text: String,
    /// True if the text was cut.
    pub(crate) is_cut: bool,
}

/// A restore, or its preview.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRestore {
    /// Id of a run of the session. Default: the newest run.
    #[serde(default)]
    pub(crate) run: Option<String>,
    /// Restores the files before this turn. Default: before the first turn that changed files.
    #[serde(default)]
    pub(crate) turn: Option<u32>,
    /// Restores the files of this checkpoint, in place of a turn.
    #[serde(default)]
    pub(crate) checkpoint: Option<String>,
    /// The treatment of files that others changed since.
    #[serde(default)]
    pub(crate) others: Others,
    /// The digest of the preview that a person confirmed. Without it nothing is changed, and the response is the preview.
    #[serde(default)]
    pub(crate) digest: Option<String>,
}

/// The treatment of files that others changed since the last checkpoint.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Others {
    /// The restore fails without any change.
    #[default]
    Refuse,
    /// They stay as they are.
    Keep,
    /// They are restored, too.
    Overwrite,
}

impl From<Others> for ForeignChanges {
    fn from(others: Others) -> Self {
        match others {
            Others::Refuse => Self::Refuse,
            Others::Keep => Self::Keep,
            Others::Overwrite => Self::Overwrite,
        }
    }
}

/// The changes of a restore, or its preview.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RestoreValue {
    /// True if nothing was changed yet.
    pub(crate) is_preview: bool,
    /// The digest of a preview, which the request that restores names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<String>,
    /// Id of the checkpoint.
    pub(crate) checkpoint: String,
    /// The checkpoint of the files before the restore, with which it is undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) undo: Option<String>,
    /// Files that are restored.
    pub(crate) written: Vec<String>,
    /// Files that are removed, because they were created since.
    pub(crate) removed: Vec<String>,
    /// Files that differ and stay.
    pub(crate) kept: Vec<KeptFile>,
}

/// A file that a restore does not change.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct KeptFile {
    /// The path.
    pub(crate) path: String,
    /// The reason.
    pub(crate) why: String,
}

impl RestoreValue {
    pub(crate) fn new(checkpoint: String, changes: RestoreResult, digest: Option<String>) -> Self {
        let reason = |why: SkipReason| match why {
            SkipReason::Foreign => "another program changed it since".to_owned(),
            SkipReason::Unknown => "created since, and not in a checkpoint".to_owned(),
            SkipReason::Failed(words) => words,
            _ => "it stays".to_owned(),
        };
        let kept = changes.kept.into_iter().map(|kept| KeptFile { path: kept.path, why: reason(kept.why) });
        Self {
            is_preview: digest.is_some(),
            digest,
            checkpoint,
            undo: changes.undo.map(|undo| undo.to_string()),
            written: changes.written,
            removed: changes.removed,
            kept: kept.collect(),
        }
    }
}
