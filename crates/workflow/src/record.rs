//! What is written down of a workflow: enough to go on with it in another process. What happens inside a step's call is
//! in a journal of its own.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_journal::{Durability, Journal, JournalError};
use windlass_protocol::RawJson;

use crate::machine::{End, Failure};
use crate::{RunError, StepKey, WorkflowOutcome};

/// What is written down of a workflow, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "workflow_entry", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Entry {
    /// It begins.
    Started {
        /// The version of this vocabulary.
        version: u32,
        /// Its name.
        workflow: String,
        /// What it was given.
        input: Map<String, Value>,
    },
    /// A step is about to make its call.
    StepStarted {
        /// Which.
        step: StepKey,
        /// How often it did, with this one.
        attempt: u32,
        /// A digest of what is asked.
        asked: String,
    },
    /// A step's call has its result.
    StepFinished {
        /// Which.
        step: StepKey,
        /// Which of its calls.
        attempt: u32,
        /// What came of it.
        end: StepEnd,
    },
    /// It is over, or waits.
    Finished {
        /// How.
        outcome: WorkflowOutcome,
    },
}

/// What came of a step's call, as it is on record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepEnd(Recorded);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
enum Recorded {
    Done { output: Value },
    Failed(Failure),
}

impl Entry {
    /// The version of this vocabulary that is written.
    pub const VERSION: u32 = 1;
}

/// The calls that are on record: what was asked, and what came of it if that is known.
pub(crate) type Calls = BTreeMap<(StepKey, u32), (String, Option<End>)>;

/// The record of one run.
pub(crate) struct Record {
    journal: Box<dyn Journal + Send>,
    pub(crate) calls: Calls,
    pub(crate) input: Map<String, Value>,
    /// How it ended, if it is over for good.
    pub(crate) over: Option<WorkflowOutcome>,
}

impl Record {
    /// Reads what is there, or begins.
    pub(crate) fn open(
        journal: Box<dyn Journal + Send>,
        workflow: &str,
        input: impl FnOnce() -> Result<Map<String, Value>, RunError>,
    ) -> Result<Self, RunError> {
        let records = journal.records()?;
        let mut record = Self { journal, calls: Calls::new(), input: Map::new(), over: None };
        let mut entries = records.iter().map(windlass_journal::Record::read::<Entry>);
        let Some(first) = entries.next().transpose()? else {
            record.input = input()?;
            let (version, workflow) = (Entry::VERSION, workflow.to_owned());
            let input = record.input.clone();
            record.append(&Entry::Started { version, workflow, input })?;
            return Ok(record);
        };
        match first {
            Entry::Started { version, .. } if version > Entry::VERSION => {
                return Err(RunError::Version { version });
            }
            Entry::Started { workflow: recorded, input, .. } => {
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

    fn replay(&mut self, entry: Entry) {
        match entry {
            Entry::StepStarted { step, attempt, asked } => {
                self.calls.insert((step, attempt), (asked, None));
            }
            Entry::StepFinished { step, attempt, end } => {
                if let Some((_, known)) = self.calls.get_mut(&(step, attempt)) {
                    *known = Some(end.into());
                }
            }
            Entry::Finished { outcome } => {
                let is_final =
                    matches!(outcome, WorkflowOutcome::Completed { .. } | WorkflowOutcome::Failed { .. });
                self.over = Some(outcome).filter(|_| is_final);
            }
            Entry::Started { .. } => {}
        }
    }

    /// Writes an entry down, and returns when it is on the disk: what it announces happens after it.
    pub(crate) fn append(&mut self, entry: &Entry) -> Result<(), JournalError> {
        let encode = |source| JournalError::Encode { source };
        let text = serde_json::to_string(entry).map_err(encode)?;
        let body: RawJson = text.parse().map_err(encode)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at_ms = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        self.journal.append(body, at_ms, Durability::Synced).map(drop)
    }

    pub(crate) fn finish(&mut self, step: &StepKey, attempt: u32, end: &End) -> Result<(), JournalError> {
        let end = match end {
            End::Done(output) => Recorded::Done { output: output.clone() },
            End::Failed(failure) => Recorded::Failed(failure.clone()),
            // What waits is not over: the record of its call says for what.
            End::Suspended(_) => return Ok(()),
        };
        self.append(&Entry::StepFinished { step: step.clone(), attempt, end: StepEnd(end) })
    }
}

impl From<StepEnd> for End {
    fn from(end: StepEnd) -> Self {
        match end.0 {
            Recorded::Done { output } => Self::Done(output),
            Recorded::Failed(failure) => Self::Failed(failure),
        }
    }
}
