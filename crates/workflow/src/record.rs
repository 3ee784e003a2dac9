//! The record of a workflow: the data needed to resume it in another process. The events inside a step's call
//! are in the journal of that call.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_journal::{Durability, Journal, JournalError};
use windlass_protocol::RawJson;
use windlass_redact::Redactor;

use crate::machine::{End, Failure};
use crate::version::RECORD_VERSION;
use crate::{RunError, StepKey, WorkflowOutcome};

/// An entry in the record of a workflow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "workflow_entry", rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkflowEntry {
    /// The run started.
    Started {
        /// The version of the record format.
        version: u32,
        /// The name of the workflow.
        workflow: String,
        /// The inputs, including defaults.
        input: Map<String, Value>,
    },
    /// A step is about to make its call.
    StepStarted {
        /// The key of the step.
        step: StepKey,
        /// The number of this attempt, starting at 1.
        attempt: u32,
        /// The digest of the call: tool, arguments and output format.
        asked: String,
    },
    /// A step's call has its result.
    StepFinished {
        /// The key of the step.
        step: StepKey,
        /// The number of the attempt.
        attempt: u32,
        /// The result.
        end: StepEnd,
    },
    /// The run ended or was suspended.
    Finished {
        /// The outcome.
        outcome: WorkflowOutcome,
    },
}

/// The recorded result of a step's call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepEnd(RecordedEntry);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
enum RecordedEntry {
    Done { output: Value },
    Failed(Failure),
}

impl WorkflowEntry {
    /// The version of the record format that this program writes.
    pub const VERSION: u32 = RECORD_VERSION;
}

/// The recorded calls: the digest of each call, and its result if it is known.
pub(crate) type Calls = BTreeMap<(StepKey, u32), (String, Option<End>)>;

/// The open record of one run.
pub(crate) struct Record {
    journal: Box<dyn Journal + Send>,
    redactor: Redactor,
    pub(crate) calls: Calls,
    pub(crate) input: Map<String, Value>,
    /// The final outcome, if the run completed or failed.
    pub(crate) over: Option<WorkflowOutcome>,
}

impl Record {
    /// Reads an existing record, or starts a new one.
    pub(crate) fn open(
        journal: Box<dyn Journal + Send>,
        redactor: Redactor,
        workflow: &str,
        input: impl FnOnce() -> Result<Map<String, Value>, RunError>,
    ) -> Result<Self, RunError> {
        let records = journal.records()?;
        let mut record = Self { journal, redactor, calls: Calls::new(), input: Map::new(), over: None };
        let mut entries = records.iter().map(windlass_journal::Record::read::<WorkflowEntry>);
        let Some(first) = entries.next().transpose()? else {
            record.input = input()?;
            let (version, workflow) = (WorkflowEntry::VERSION, workflow.to_owned());
            let input = record.input.clone();
            record.append(&WorkflowEntry::Started { version, workflow, input })?;
            return Ok(record);
        };
        match first {
            WorkflowEntry::Started { version, .. } if version > WorkflowEntry::VERSION => {
                return Err(RunError::Version { version });
            }
            WorkflowEntry::Started { workflow: recorded, input, .. } => {
                if recorded != workflow {
                    return Err(RunError::OtherWorkflow { recorded, asked: workflow.to_owned() });
                }
                record.input = input;
            }
            _ => return Err(RunError::NotStarted),
        }
        for entry in entries {
            record.replay(entry?);
        }
        Ok(record)
    }

    fn replay(&mut self, entry: WorkflowEntry) {
        match entry {
            WorkflowEntry::StepStarted { step, attempt, asked } => {
                self.calls.insert((step, attempt), (asked, None));
            }
            WorkflowEntry::StepFinished { step, attempt, end } => {
                if let Some((_, known)) = self.calls.get_mut(&(step, attempt)) {
                    *known = Some(end.into());
                }
            }
            WorkflowEntry::Finished { outcome } => {
                let is_final =
                    matches!(outcome, WorkflowOutcome::Completed { .. } | WorkflowOutcome::Failed { .. });
                self.over = Some(outcome).filter(|_| is_final);
            }
            WorkflowEntry::Started { .. } => {}
        }
    }

    /// Appends an entry and returns after it has been synced to disk. Only then may the effects happen that
    /// the entry announces.
    pub(crate) fn append(&mut self, entry: &WorkflowEntry) -> Result<(), JournalError> {
        let encode = |source| JournalError::Encode { source };
        // A secret that equals a field name of the entry must stay, or the run could not be resumed.
        let text = self.redactor.to_redacted_json(entry).map_err(encode)?;
        let body: RawJson = text.parse().map_err(encode)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        self.journal.append(body, at_ms, Durability::Synced).map(drop)
    }

    pub(crate) fn finish(&mut self, step: &StepKey, attempt: u32, end: &End) -> Result<(), JournalError> {
        let end = match end {
            End::Done(output) => RecordedEntry::Done { output: output.clone() },
            End::Failed(failure) => RecordedEntry::Failed(failure.clone()),
            // A suspended call has not ended; the record of that call holds the reason.
            End::Suspended(_) => return Ok(()),
        };
        self.append(&WorkflowEntry::StepFinished { step: step.clone(), attempt, end: StepEnd(end) })
    }
}

impl From<StepEnd> for End {
    fn from(end: StepEnd) -> Self {
        match end.0 {
            RecordedEntry::Done { output } => Self::Done(output),
            RecordedEntry::Failed(failure) => Self::Failed(failure),
        }
    }
}
