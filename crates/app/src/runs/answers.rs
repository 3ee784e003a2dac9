//! Answers to the open questions of a suspended run, stored in its folder.

use std::fmt::Write as _;
use std::fs;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use windlass_agent::{Approver, InterruptId, RunOptions, StoredAnswers};
use windlass_hitl::{ApprovalDecision, ApprovalRequest, Digest};
use windlass_protocol::{CallId, ResultStatus, ToolResult};

use super::shared_run::SharedRun;
use super::{OpenQuestions, RunFolder};
use crate::app::App;
use crate::error::{Context as _, Result, one_line};
use crate::feed::guidance_id;
use crate::storage::{read_json, write_json};

/// A stored answer to a question of a run, one file in its folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
#[non_exhaustive]
pub enum StoredAnswer {
    /// Decision about a call.
    Approval {
        /// The approval or denial.
        decision: ApprovalDecision,
        /// Digest of the displayed call. The decision is valid only for this content.
        shown: Digest,
        /// Name of the window in which the answer was given. Answers of earlier versions have none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
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
        /// Name of the window in which the answer was given. Answers of earlier versions have none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// A text that answers a question of a run at work.
    Words {
        /// Id of the question in the feed.
        question: String,
        /// The words.
        words: String,
        /// Name of the window in which the answer was given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
}

/// The beginning of the file name of words for a run that works.
const WORDS: &str = "words";

/// The stored answers that match an open question of their run.
#[derive(Debug, Default)]
pub struct RunAnswers(Vec<StoredAnswer>);

/// File name of an answer to a consultation. Request ids are longer, so the names cannot collide.
const GUIDANCE: &str = "guidance";

impl RunAnswers {
    /// Loads the stored answers from a run's folder. An unreadable file is skipped with a notice.
    ///
    /// # Errors
    ///
    /// Fails if the folder of answers cannot be read.
    pub fn load(app: &App, folder: &RunFolder, open: &OpenQuestions) -> Result<Self> {
        if let Some(shared) = folder.shared() {
            return Self::load_shared(app, shared, open);
        }
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
            let stored: StoredAnswer = match read_json(&path) {
                Ok(stored) => stored,
                Err(error) => {
                    let why = one_line(&error);
                    app.inform(format!("an answer for run {} is left out: {why}", folder.id));
                    continue;
                }
            };
            if stored.answers_one_of(open) {
                answers.push(stored);
            }
        }
        Ok(Self(answers))
    }

    /// Loads the answers of a run in a database.
    fn load_shared(app: &App, shared: &SharedRun, open: &OpenQuestions) -> Result<Self> {
        let mut answers = Vec::new();
        for (name, answer) in shared.store.read_answers(&shared.id)? {
            match serde_json::from_str::<StoredAnswer>(answer.as_str()) {
                Ok(stored) if stored.answers_one_of(open) => answers.push(stored),
                Ok(_) => {}
                Err(_) => app.inform(format!("answer {name} for run {} is left out", shared.id)),
            }
        }
        Ok(Self(answers))
    }

    /// Returns the decision about a request, if one is stored.
    pub fn approval(&self, request_id: &str) -> Option<&ApprovalDecision> {
        self.0.iter().find_map(|stored| match stored {
            StoredAnswer::Approval { decision, .. } if decision.request_id == request_id => Some(decision),
            _ => None,
        })
    }

    /// Returns the answer to a question with this id in the feed, if one is stored.
    pub(crate) fn find(&self, question: &str) -> Option<&StoredAnswer> {
        self.0.iter().find(|stored| stored.question_id().as_deref() == Some(question))
    }

    /// Returns the ids of the answered questions in the feed, with the windows of the answers.
    pub(crate) fn windows(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().filter_map(|stored| Some((stored.question_id()?, stored.window()?.to_owned())))
    }

    /// Returns the id and the text of each stored result of a deferred call.
    #[cfg(feature = "workflow")]
    pub(crate) fn results(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().filter_map(|stored| match stored {
            StoredAnswer::Result { result } => Some((result.call.to_string(), result.wire_text())),
            _ => None,
        })
    }

    /// Returns an approver that gives the stored decisions and asks `otherwise` about all other requests.
    pub(crate) fn approver(&self, otherwise: impl Approver + 'static) -> StoredAnswers {
        let approver = StoredAnswers::new(otherwise);
        self.0.iter().fold(approver, |approver, stored| match stored {
            StoredAnswer::Approval { decision, shown, .. } => {
                approver.with_answer(decision.clone(), shown.clone())
            }
            _ => approver,
        })
    }

    /// Adds the stored results and the guidance to the options of a run.
    pub(crate) fn add_to(&self, mut options: RunOptions) -> RunOptions {
        for stored in &self.0 {
            options = match stored {
                StoredAnswer::Result { result } => options.with_results([result.clone()]),
                StoredAnswer::Guidance { words, id, .. } => options.with_guidance_for(*id, words.clone()),
                StoredAnswer::Approval { .. } | StoredAnswer::Words { .. } => options,
            };
        }
        options
    }
}

/// Reads the stored answer with a name, if there is one. A decision has the name of its request.
pub(crate) fn read_answer(folder: &RunFolder, name: &str) -> Result<Option<StoredAnswer>> {
    if let Some(shared) = folder.shared() {
        let answers = shared.store.read_answers(&shared.id)?;
        let found = answers.iter().find(|(known, _)| known.as_str() == name);
        return Ok(found.map(|(_, answer)| serde_json::from_str(answer.as_str())).transpose()?);
    }
    let file = folder.answers().join(format!("{name}.json"));
    Ok(if file.exists() { Some(read_json(&file)?) } else { None })
}

/// Stores an answer for a run. The write is atomic, and only the user can read the file.
///
/// # Errors
///
/// Fails if the file cannot be written.
pub fn store_answer(folder: &RunFolder, answer: &StoredAnswer) -> Result<()> {
    let name = answer.name();
    match folder.shared() {
        Some(shared) => {
            let text = serde_json::to_string(answer)?;
            Ok(shared.store.put_answer(&shared.id, &name, &text.parse()?)?)
        }
        None => write_json(&folder.answers(), &name, answer),
    }
}

impl StoredAnswer {
    /// Creates an answer with the result of a deferred call.
    pub fn result(call: &CallId, status: ResultStatus, text: &str) -> Self {
        Self::Result { result: ToolResult::text(call.clone(), status, text) }
    }

    /// Creates a decision about a question. It is valid only for the displayed content.
    pub fn approval(question: &ApprovalRequest, is_approved: bool, comment: Option<String>) -> Self {
        let mut decision = ApprovalDecision::deny(question.request_id.clone(), comment);
        decision.approved = is_approved;
        Self::decision(decision, question.digest.clone())
    }

    /// Creates an answer from a decision. It is valid only for the displayed content.
    pub(crate) fn decision(decision: ApprovalDecision, shown: Digest) -> Self {
        Self::Approval { decision, shown, by: None }
    }

    /// Creates an answer to a question in words of a run that works.
    pub(crate) fn words(question: &str, words: String) -> Self {
        Self::Words { question: question.to_owned(), words, by: None }
    }

    /// Returns the name under which the answer is stored.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Approval { decision, .. } => decision.request_id.clone(),
            Self::Result { result } => format!("result-{}", file_name(result.call.as_str())),
            Self::Guidance { .. } => GUIDANCE.to_owned(),
            Self::Words { question, .. } => words_name(question),
        }
    }

    /// Sets the name of the window in which the answer was given.
    pub fn with_window(mut self, window: impl Into<String>) -> Self {
        if let Self::Approval { by, .. } | Self::Guidance { by, .. } | Self::Words { by, .. } = &mut self {
            *by = Some(window.into());
        }
        self
    }

    /// Returns the name of the window in which the answer was given.
    pub(crate) fn window(&self) -> Option<&str> {
        match self {
            Self::Approval { by, .. } | Self::Guidance { by, .. } | Self::Words { by, .. } => by.as_deref(),
            Self::Result { .. } => None,
        }
    }

    /// Returns the id of the answered question in the feed of the run.
    fn question_id(&self) -> Option<String> {
        match self {
            Self::Approval { decision, .. } => Some(decision.request_id.clone()),
            Self::Guidance { id, .. } => Some(guidance_id(*id)),
            Self::Words { question, .. } => Some(question.clone()),
            Self::Result { .. } => None,
        }
    }

    /// Returns true if the answer belongs to an open question. Answers to closed questions never become valid
    /// again: ids and numbers of questions are not reused.
    fn answers_one_of(&self, open: &OpenQuestions) -> bool {
        match self {
            Self::Approval { decision, .. } => {
                open.questions.iter().any(|question| question.request_id == decision.request_id)
            }
            Self::Result { result } => open.results.contains(&result.call),
            Self::Guidance { question, id, .. } => {
                open.guidance.is_some() && *question == open.guided && *id == open.consultation
            }
            // The run that waited for the text does not work any more.
            Self::Words { .. } => false,
        }
    }

    /// Creates an answer to the open consultation.
    pub fn guidance(open: &OpenQuestions, words: impl Into<String>) -> Self {
        Self::Guidance { words: words.into(), question: open.guided, id: open.consultation, by: None }
    }
}

/// Returns the name of the file for the answer text of a question of the feed.
pub(super) fn words_name(question: &str) -> String {
    format!("{WORDS}-{}", file_name(question))
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

#[cfg(test)]
mod tests {
    use super::file_name;

    // Regression test: the file name of a long id exceeded the limit of file systems.
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
