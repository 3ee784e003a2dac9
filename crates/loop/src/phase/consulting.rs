//! Questions to the human about how the run continues. Each question has its own id, so that an answer only
//! counts for the question that it was given to (RULES H4, H10).

use serde::{Deserialize, Serialize};

use crate::budget::Spent;
use crate::machine::{Machine, Phase};
use crate::{Effect, Entry, Event, MessageSource, Outcome, StopCause, Unanswered, Wait};

/// The subject of a question to the human.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Matter {
    /// The subject was not recorded: the question is from a record before version 6.
    #[default]
    Unspecified,
    /// Too many consecutive turns brought mistakes or answers without a call.
    Mistakes,
    /// The run has used its budget.
    Budget,
    /// The effects of interrupted calls are unknown.
    UnknownEffects,
}

/// The id of one question to the human within its run. An answer
/// ([`Input::Guidance`](crate::Input::Guidance)) repeats the id and counts for that question only.
///
/// ```
/// use windlass_loop::{ConsultationId, Matter};
/// let id = ConsultationId::new(Matter::Budget, 1);
/// assert_eq!(serde_json::to_string(&id)?, r#"{"matter":"budget","number":1}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConsultationId {
    /// The subject of the question.
    pub matter: Matter,
    /// The position of the question among all questions of the run, from 1; 0 in records before version 6. A
    /// resumed run that repeats a question in the same words keeps its number.
    pub number: u32,
}

impl ConsultationId {
    /// Creates the id of the question with this number.
    pub fn new(matter: Matter, number: u32) -> Self {
        Self { matter, number }
    }

    /// Returns the open question of a record: a question without an answer that no later answer of the model
    /// made obsolete.
    pub fn open_in<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Option<Self> {
        entries.into_iter().fold(None, |open, entry| match entry {
            Entry::Consulted { id, .. } => Some(*id),
            Entry::Finished { outcome: Outcome::Suspended { waits } } => {
                let asked = waits.iter().find_map(|wait| match wait {
                    Wait::Guidance { id, .. } => Some(*id),
                    _ => None,
                });
                asked.or(open)
            }
            // Before version 6 no answer has an id; since then such an answer is the approval that another
            // run got.
            Entry::Guided { id: None, .. } => open.filter(|id| id.matter != Matter::Unspecified),
            Entry::Guided { .. } | Entry::Answered { .. } => None,
            _ => open,
        })
    }
}

/// The questions that a run has asked.
#[derive(Debug, Default)]
pub(crate) struct Consultations {
    /// The number of the newest question.
    newest: u32,
    /// The recorded question without an answer.
    open: Option<(ConsultationId, String)>,
}

impl Consultations {
    /// Restores a question from a record.
    pub(crate) fn restore(&mut self, id: ConsultationId, question: String) {
        self.newest = self.newest.max(id.number);
        self.open = Some((id, question));
    }

    /// Closes the recorded open question, because it was answered or the run continued without an answer.
    pub(crate) fn close(&mut self) {
        self.open = None;
    }

    /// Returns true if the recorded open question is from before version 6.
    pub(crate) fn is_open_without_id(&self) -> bool {
        self.open.as_ref().is_some_and(|(id, _)| id.matter == Matter::Unspecified)
    }

    /// Returns the id of the recorded open question if the new question has the same words. An answer only
    /// counts for the words that the human read.
    fn reopen(&mut self, matter: Matter, question: &str) -> Option<ConsultationId> {
        let (id, text) = self.open.take()?;
        let is_same_matter = id.matter == matter || id.matter == Matter::Unspecified;
        (is_same_matter && text == question).then_some(id)
    }

    fn next(&mut self, matter: Matter) -> ConsultationId {
        self.newest = self.newest.saturating_add(1);
        ConsultationId::new(matter, self.newest)
    }
}

impl Machine {
    /// Asks the human a question, and waits for the answer.
    pub(crate) fn consult(&mut self, matter: Matter, question: String) {
        let id = self.consultations.reopen(matter, &question).unwrap_or_else(|| {
            let id = self.consultations.next(matter);
            self.want(Effect::Record(Entry::Consulted { id, question: question.clone() }));
            id
        });
        self.phase = Phase::Consulting { id, matter, question: question.clone() };
        self.want(Effect::Consult { id, question });
    }

    /// Applies the human's answer to a question; `None` if the human does not answer. An answer to a question
    /// that is not open is refused.
    pub(crate) fn guidance(&mut self, answered: ConsultationId, words: Option<String>) {
        let (matter, question) = match &self.phase {
            Phase::Consulting { id, matter, question } if *id == answered => (*matter, question.clone()),
            _ => return self.refuse_guidance(answered, words.is_some()),
        };
        if words.is_none() && self.config.unanswered == Unanswered::Suspend {
            let waits = vec![Wait::Guidance { id: answered, question }];
            return self.end(Outcome::Suspended { waits });
        }
        let words = words.unwrap_or_default();
        let words = words.trim();
        let said = match (matter, words.to_lowercase().as_str()) {
            (Matter::Budget, "" | "n" | "no" | "stop") => return self.stop(StopCause::Budget),
            (Matter::Budget, "y" | "yes") | (Matter::UnknownEffects, "" | "nothing") => None,
            (_, "") => return self.stop(StopCause::MistakeLimit),
            _ => Some(words.to_owned()),
        };
        let id = ConsultationId::new(matter, answered.number);
        self.want(Effect::Record(Entry::Guided { id: Some(id), words: said.clone() }));
        self.guided(matter, said.is_some());
        if matter == Matter::Budget {
            self.granted = self.granted.saturating_add(1);
        }
        if let Some(said) = said {
            self.tell_model(MessageSource::Guidance, &said);
        }
        self.next_turn();
    }

    fn refuse_guidance(&mut self, answered: ConsultationId, has_words: bool) {
        if !has_words || self.is_over() {
            return;
        }
        let reason = format!("question {} about how the run continues is not open", answered.number);
        self.show(Event::AnswerRefused { reason });
    }

    /// Applies an answer to the counters. An answer with words resets the count of mistakes. An answer about
    /// the budget restarts the budget; the caller has already stopped the run if the answer was a no or
    /// empty.
    pub(crate) fn guided(&mut self, matter: Matter, has_words: bool) {
        if has_words {
            self.progress.forgive();
        }
        // Records before version 6 do not contain the question's subject, and every answer restarted the
        // budget then.
        if matches!(matter, Matter::Budget | Matter::Unspecified) {
            self.grant_budget();
        }
    }

    pub(crate) fn grant_budget(&mut self) {
        self.spent = Spent::since(self.now_ms);
        self.others.grant();
    }

    /// Withdraws an open question about the budget, because another run that shares the budget got the
    /// answer.
    pub(crate) fn withdraw_budget_question(&mut self) {
        if let Phase::Consulting { id, matter: Matter::Budget, .. } = self.phase {
            self.want(Effect::Withdraw { id });
            self.next_turn();
        }
    }
}
