//! A run that has ended, as its graders see it.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use windlass_agent::Report;
use windlass_protocol::{Part, ResultStatus};

use crate::Trial;

/// A run that has ended, as its graders see it: the report with the transcript, the calls, and the files. Cheap to clone.
#[derive(Clone)]
pub struct Attempt {
    inner: Arc<Inner>,
}

struct Inner {
    trial: Trial,
    task: String,
    report: Report,
}

/// A call that the model made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MadeCall {
    /// Name of the tool.
    pub tool: String,
    /// Arguments as JSON, or the text of a free-form call.
    pub arguments: String,
    /// Status of the result, if the call has one.
    pub status: Option<ResultStatus>,
    /// Text of the result, as the model received it. Empty without a result.
    pub result: String,
}

impl Attempt {
    /// Creates an attempt from the trial, the task and the report of its run.
    pub(crate) fn new(trial: Trial, task: String, report: Report) -> Self {
        Self { inner: Arc::new(Inner { trial, task, report }) }
    }

    /// Returns the trial.
    pub fn trial(&self) -> &Trial {
        &self.inner.trial
    }

    /// Returns the text of the task.
    pub fn task(&self) -> &str {
        &self.inner.task
    }

    /// Returns the report of the run.
    pub fn report(&self) -> &Report {
        &self.inner.report
    }

    /// Returns the final text. It is empty if the run stopped before it had one.
    pub fn answer(&self) -> &str {
        self.report().text().unwrap_or_default()
    }

    /// Returns the folder of the trial, if the suite has [folders](crate::Suite::folders).
    pub fn folder(&self) -> Option<&Path> {
        self.trial().folder()
    }

    /// Returns the calls of the run with their results, in order.
    pub fn calls(&self) -> Vec<MadeCall> {
        let messages = self.report().transcript.messages();
        let mut results = HashMap::new();
        for part in messages.iter().flat_map(|message| message.parts.iter()) {
            if let Part::Result(result) = part {
                results.entry(&result.call).or_insert(result);
            }
        }
        let calls = messages.iter().flat_map(windlass_protocol::Message::calls);
        calls
            .map(|call| {
                let result = results.get(&call.id);
                MadeCall {
                    tool: call.name.as_str().to_owned(),
                    arguments: call.payload.text(),
                    status: result.map(|result| result.status),
                    result: result.map(|result| result.wire_text()).unwrap_or_default(),
                }
            })
            .collect()
    }
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt")
            .field("trial", self.trial())
            .field("answer", &self.answer())
            .finish_non_exhaustive()
    }
}
