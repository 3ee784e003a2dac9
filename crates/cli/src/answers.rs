//! What a suspended run waits for, and the answers that are left for it in its folder.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use windlass_agent::{Approver, ConsultationId, Entry, Outcome, RunOptions, StoredAnswers, Wait};
use windlass_hitl::{ApprovalDecision, ApprovalRequest, Digest};
use windlass_journal::Record;
use windlass_protocol::{CallId, ResultStatus, ToolResult};

use crate::kept_file::write_whole;
use crate::runs::RunFolder;
use crate::{bounded, output};

/// What a run waits for, as its record says.
#[derive(Debug, Default)]
pub(crate) struct Open {
    /// Questions about calls, by the id of the question, in call order.
    pub(crate) questions: Vec<ApprovalRequest>,
    /// Calls whose result comes from elsewhere.
    pub(crate) results: Vec<CallId>,
    /// The question how the run goes on.
    pub(crate) guidance: Option<String>,
    /// The id of that question.
    pub(crate) consultation: ConsultationId,
    /// How many such questions were answered. Answers of earlier versions tell the open question from others by it.
    pub(crate) guided: u64,
    /// Whether the run has ended, suspended or for good.
    pub(crate) has_ended: bool,
}

/// An answer that is left for a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub(crate) enum Stored {
    /// To a question about a call.
    Approval {
        /// The answer.
        decision: ApprovalDecision,
        /// The digest of what was shown.
        shown: Digest,
    },
    /// The result of a call that went on elsewhere.
    Result {
        /// The result.
        result: ToolResult,
    },
    /// The human's word on going on.
    Guidance {
        /// In these words.
        words: String,
        /// The number of questions that were answered before it.
        question: u64,
        /// The question. Answers of earlier versions do not have it, like the questions of their runs.
        #[serde(default)]
        id: ConsultationId,
    },
}

impl Open {
    /// What a record leaves open.
    pub(crate) fn of(records: &[Record]) -> anyhow::Result<Self> {
        let mut open = Self::default();
        let mut asked: BTreeMap<CallId, ApprovalRequest> = BTreeMap::new();
        let mut order = Vec::new();
        for record in records {
            match record.read::<Entry>()? {
                Entry::Answered { message, .. } => {
                    order = message.calls().map(|call| call.id.clone()).collect();
                    asked.clear();
                    open = Self { guided: open.guided, ..Self::default() };
                }
                Entry::Asked { request } => drop(asked.insert(request.call.id.clone(), *request)),
                Entry::Approval { call, .. } => drop(asked.remove(&call)),
                Entry::Result { result } => {
                    asked.remove(&result.call);
                    open.results.retain(|call| *call != result.call);
                }
                Entry::Deferred { call } if !open.results.contains(&call) => open.results.push(call),
                Entry::Guided { .. } => {
                    open.guidance = None;
                    open.guided = open.guided.saturating_add(1);
                }
                Entry::Finished { outcome } => {
                    open.has_ended = true;
                    let waits = if let Outcome::Suspended { waits } = outcome { waits } else { Vec::new() };
                    let waits = waits.into_iter().find_map(|wait| match wait {
                        Wait::Guidance { id, question } => Some((id, question)),
                        _ => None,
                    });
                    open.guidance = waits.map(|(id, question)| {
                        open.consultation = id;
                        question
                    });
                    continue;
                }
                _ => {}
            }
            open.has_ended = false;
        }
        open.questions = order.iter().filter_map(|call| asked.remove(call)).collect();
        Ok(open)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.questions.is_empty() && self.results.is_empty() && self.guidance.is_none()
    }
}

/// The answers that are left for a run and that it waits for.
#[derive(Debug, Default)]
pub(crate) struct Answers(Vec<Stored>);

/// Under this name the word on going on lies beside answers to questions, whose ids are longer.
const GUIDANCE: &str = "guidance";

impl Answers {
    /// Those in a run's folder that it waits for.
    pub(crate) fn load(folder: &RunFolder, open: &Open) -> anyhow::Result<Self> {
        let mut answers = Vec::new();
        let names = match fs::read_dir(folder.answers()) {
            Ok(names) => names,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error).context("the run's answers cannot be read"),
        };
        for entry in names {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            // One file that cannot be read hides no other answer and no other run.
            let stored: Stored = match read(&path) {
                Ok(stored) => stored,
                Err(error) => {
                    output::note(&format!("an answer for run {} is left out: {error:#}", folder.id));
                    continue;
                }
            };
            let is_open = match &stored {
                Stored::Approval { decision, .. } => {
                    open.questions.iter().any(|question| question.request_id == decision.request_id)
                }
                Stored::Result { result } => open.results.contains(&result.call),
                Stored::Guidance { question, id, .. } => {
                    open.guidance.is_some() && *question == open.guided && *id == open.consultation
                }
            };
            // One to what has ended since counts no more, and never again: no question has its id or number twice.
            if is_open {
                answers.push(stored);
            }
        }
        Ok(Self(answers))
    }

    /// Whether a question has its answer.
    pub(crate) fn approval(&self, request_id: &str) -> Option<&ApprovalDecision> {
        self.0.iter().find_map(|stored| match stored {
            Stored::Approval { decision, .. } if decision.request_id == request_id => Some(decision),
            _ => None,
        })
    }

    /// The words that are left for calls that wait for them.
    pub(crate) fn words(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().filter_map(|stored| match stored {
            Stored::Result { result } => Some((result.call.to_string(), result.wire_text())),
            _ => None,
        })
    }

    /// An approver who gives these, and asks another for the rest.
    pub(crate) fn approver(&self, otherwise: impl Approver + 'static) -> StoredAnswers {
        let approver = StoredAnswers::new(otherwise);
        self.0.iter().fold(approver, |approver, stored| match stored {
            Stored::Approval { decision, shown } => approver.with_answer(decision.clone(), shown.clone()),
            _ => approver,
        })
    }

    /// A run that gets the results and the word that are left for it.
    pub(crate) fn options(&self, mut options: RunOptions) -> RunOptions {
        for stored in &self.0 {
            options = match stored {
                Stored::Result { result } => options.with_results([result.clone()]),
                Stored::Guidance { words, id, .. } => options.with_guidance_for(*id, words.clone()),
                Stored::Approval { .. } => options,
            };
        }
        options
    }
}

/// Leaves an answer for a run: whole or not at all, for the user alone.
pub(crate) fn store(folder: &RunFolder, stored: &Stored) -> anyhow::Result<()> {
    let name = match stored {
        Stored::Approval { decision, .. } => decision.request_id.clone(),
        Stored::Result { result } => format!("result-{}", file_name(result.call.as_str())),
        Stored::Guidance { .. } => GUIDANCE.to_owned(),
    };
    write(&folder.answers(), &name, stored)
}

/// A result that somebody gives for a call that went on elsewhere.
pub(crate) fn result(call: &CallId, status: ResultStatus, text: &str) -> Stored {
    Stored::Result { result: ToolResult::text(call.clone(), status, text) }
}

/// The longest part of a file's name that comes from a call's id; file systems take names of 255 bytes.
const NAME_BYTES: usize = 128;

/// A call's id as the name of a file: a provider may put anything into it. A long one becomes its digest.
fn file_name(id: &str) -> String {
    let name = plain_name(id);
    if name.len() <= NAME_BYTES {
        return name;
    }
    let digest = Sha256::digest(id.as_bytes());
    digest.iter().fold("sha256_".to_owned(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    })
}

fn plain_name(id: &str) -> String {
    id.bytes().fold(String::new(), |mut name, byte| {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            name.push(char::from(byte));
        } else {
            let _ = write!(name, "-{byte:02x}");
        }
        name
    })
}

/// Writes a value as `NAME.json` into a folder, under another name first.
pub(crate) fn write(folder: &Path, name: &str, value: &impl Serialize) -> anyhow::Result<()> {
    let path = folder.join(format!("{name}.json"));
    write_whole(&path, &serde_json::to_vec_pretty(value)?, 0o600)
}

/// Reads a file that `write` wrote.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let bytes = bounded::read(path, bounded::QUESTION_BYTES)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is not what windlass writes there", path.display()))
}

#[cfg(test)]
mod tests {
    use super::file_name;

    // A suspicion of correctness-2: a long id made a name that no file system takes.
    #[test]
    fn every_id_of_a_call_is_a_name_of_a_file_and_no_two_are_the_same() {
        let long = |letter: &str| file_name(&letter.repeat(400));
        assert_eq!(file_name("call_0"), "call_0");
        assert_eq!(file_name("a/../é"), "a-2f-2e-2e-2f-c3-a9");
        for id in ["é", "x", "/"] {
            assert!(long(id).len() <= 128, "{}", long(id));
        }
        assert_ne!(long("é"), long("x"));
    }
}
