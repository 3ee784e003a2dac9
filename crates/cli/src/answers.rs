//! Open questions of a suspended run, and the stored answers in its folder.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use windlass_agent::{Approver, Entry, InterruptId, Outcome, RunOptions, StoredAnswers, Wait};
use windlass_hitl::{ApprovalDecision, ApprovalRequest, Digest};
use windlass_journal::Record;
use windlass_protocol::{CallId, ResultStatus, ToolResult};

use crate::kept_file::write_whole;
use crate::runs::RunFolder;
use crate::{bounded, output};

/// The open questions of a run, read from its journal.
#[derive(Debug, Default)]
pub(crate) struct Open {
    /// Open approvals, in the order of their calls.
    pub(crate) questions: Vec<ApprovalRequest>,
    /// Ids of deferred calls whose results are missing.
    pub(crate) results: Vec<CallId>,
    /// The question of an open consultation: how the run should continue.
    pub(crate) guidance: Option<String>,
    /// Id of the open consultation.
    pub(crate) consultation: InterruptId,
    /// Number of answered consultations. Answers of earlier versions have no id and identify the consultation
    /// by this number.
    pub(crate) guided: u64,
    /// True if the last entry of the journal is an outcome, `Suspended` included.
    pub(crate) has_ended: bool,
}

/// A stored answer to a question of a run, one file in its folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub(crate) enum Stored {
    /// Decision about a call.
    Approval {
        /// The approval or denial.
        decision: ApprovalDecision,
        /// Digest of the displayed call. The decision is valid only for this content.
        shown: Digest,
    },
    /// Result of a deferred call.
    Result {
        /// The result.
        result: ToolResult,
    },
    /// Answer to a consultation.
    Guidance {
        /// The text for the model.
        words: String,
        /// Number of consultations that were answered earlier.
        question: u64,
        /// Id of the consultation. Runs and answers of earlier versions have the default id.
        #[serde(default)]
        id: InterruptId,
    },
}

impl Open {
    /// Reads the open questions from a journal. Each new answer of the model closes all earlier ones.
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
                Entry::InterruptReply { .. } => {
                    open.guidance = None;
                    open.guided = open.guided.saturating_add(1);
                }
                Entry::Finished { outcome } => {
                    open.has_ended = true;
                    let waits = if let Outcome::Suspended { waits } = outcome { waits } else { Vec::new() };
                    let waits = waits.into_iter().find_map(|wait| match wait {
                        Wait::InterruptReply { id, question } => Some((id, question)),
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

/// The stored answers that match an open question of their run.
#[derive(Debug, Default)]
pub(crate) struct Answers(Vec<Stored>);

/// File name of an answer to a consultation. Request ids are longer, so the names cannot collide.
const GUIDANCE: &str = "guidance";

impl Answers {
    /// Loads the stored answers from a run's folder. An unreadable file is skipped with a note.
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
            // An unreadable file must not hide other answers or other runs.
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
            // Answers to closed questions never become valid again: ids and numbers of questions are not
            // reused.
            if is_open {
                answers.push(stored);
            }
        }
        Ok(Self(answers))
    }

    /// Returns the decision about a request, if one is stored.
    pub(crate) fn approval(&self, request_id: &str) -> Option<&ApprovalDecision> {
        self.0.iter().find_map(|stored| match stored {
            Stored::Approval { decision, .. } if decision.request_id == request_id => Some(decision),
            _ => None,
        })
    }

    /// Returns the id and the text of each stored result of a deferred call.
    pub(crate) fn words(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().filter_map(|stored| match stored {
            Stored::Result { result } => Some((result.call.to_string(), result.wire_text())),
            _ => None,
        })
    }

    /// Returns an approver that gives the stored decisions and asks `otherwise` about all other requests.
    pub(crate) fn approver(&self, otherwise: impl Approver + 'static) -> StoredAnswers {
        let approver = StoredAnswers::new(otherwise);
        self.0.iter().fold(approver, |approver, stored| match stored {
            Stored::Approval { decision, shown } => approver.with_answer(decision.clone(), shown.clone()),
            _ => approver,
        })
    }

    /// Adds the stored results and the guidance to the options of a run.
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

/// Stores an answer for a run. The write is atomic, and only the user can read the file.
pub(crate) fn store(folder: &RunFolder, stored: &Stored) -> anyhow::Result<()> {
    let name = match stored {
        Stored::Approval { decision, .. } => decision.request_id.clone(),
        Stored::Result { result } => format!("result-{}", file_name(result.call.as_str())),
        Stored::Guidance { .. } => GUIDANCE.to_owned(),
    };
    write(&folder.answers(), &name, stored)
}

/// Returns an answer with the result of a deferred call.
pub(crate) fn result(call: &CallId, status: ResultStatus, text: &str) -> Stored {
    Stored::Result { result: ToolResult::text(call.clone(), status, text) }
}

/// Maximum length in bytes of a call id in a file name. File systems limit names to 255 bytes.
const NAME_BYTES: usize = 128;

/// Converts a call id, which a provider chooses freely, to a safe file name. Uses the SHA-256 digest of a
/// long id.
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

/// Writes a value as `NAME.json` into a folder, atomically by a rename.
pub(crate) fn write(folder: &Path, name: &str, value: &impl Serialize) -> anyhow::Result<()> {
    let path = folder.join(format!("{name}.json"));
    write_whole(&path, &serde_json::to_vec_pretty(value)?, 0o600)
}

/// Reads a value that `write` stored.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let bytes = bounded::read(path, bounded::QUESTION_BYTES)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is not what windlass writes there", path.display()))
}

#[cfg(test)]
mod tests {
    use super::file_name;

    // A suspicion of correctness-2: a long id gave a file name that no file system accepts.
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
