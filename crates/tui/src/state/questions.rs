//! The open questions, and the keys that answer them.

use ratatui_core::text::Line;
use windlass_app::feed::Question;
use windlass_app::sessions::Answer;
use windlass_screen::{Answer as CardAnswer, ApprovalCard, CardLimits, RenderOptions};

use super::State;
use super::review::Review;
use crate::action::Action;
use crate::guard::KeyGuard;

/// Maximum number of open questions that are stored.
const MAX_CARDS: usize = 1_000;

/// The answers that the conversation offers to a question about a call.
const ANSWERS: [CardAnswer; 7] = [
    CardAnswer::Once,
    CardAnswer::Session,
    CardAnswer::Rule,
    CardAnswer::Edit,
    CardAnswer::No,
    CardAnswer::Later,
    CardAnswer::Details,
];

/// An open question.
#[derive(Debug)]
pub(super) struct OpenCard {
    pub(super) id: String,
    pub(super) question: Question,
    pub(super) guard: KeyGuard,
    /// The card of a question about a call.
    pub(super) card: Option<ApprovalCard>,
    /// True if the whole card was appended to the scrollback.
    pub(super) is_printed: bool,
    /// An answer that the person looks at before it counts.
    pub(super) review: Option<Review>,
    /// The newest text of the arguments that the person wrote.
    pub(super) draft: Option<String>,
}

impl OpenCard {
    fn new(id: &str, question: Question) -> Self {
        let card = match &question {
            Question::Call { card } => {
                let json = serde_json::to_value(card).unwrap_or_default();
                let mut card: ApprovalCard = serde_json::from_value(json).unwrap_or_default();
                card.answers = ANSWERS.to_vec();
                // The text of a call that takes text is not checked against a schema.
                card.answers.retain(|answer| *answer != CardAnswer::Edit || card.arguments.is_object());
                Some(card)
            }
            _ => None,
        };
        let (id, guard) = (id.to_owned(), KeyGuard::default());
        Self { id, question, guard, card, is_printed: false, review: None, draft: None }
    }

    /// Returns the card of the question, or of the answer that the person looks at.
    pub(super) fn visible_card(&self) -> Option<&ApprovalCard> {
        match &self.review {
            Some(Review::Edit { card, .. }) => Some(card),
            _ => self.card.as_ref(),
        }
    }

    /// Renders everything, for the scrollback.
    fn render_whole(&self, options: &RenderOptions) -> Option<Vec<Line<'static>>> {
        if let Some(Review::Rule { card, .. }) = &self.review {
            return Some(card.render(usize::MAX, options).lines);
        }
        let mut whole = self.visible_card()?.clone();
        whole.answers.clear();
        Some(whole.render(None, CardLimits::with_all(), options).lines)
    }

    /// Returns the id of the call that the question is about.
    pub(super) fn call(&self) -> Option<String> {
        match &self.question {
            Question::Call { card } => Some(card.call.clone()),
            _ => None,
        }
    }

    fn suggestions(&self) -> &[String] {
        match &self.question {
            Question::Words { suggestions, .. } => suggestions,
            _ => &[],
        }
    }
}

impl State {
    pub(super) fn open_card(&mut self, id: &str, question: Question) {
        self.close_card(id);
        if self.cards.len() < MAX_CARDS {
            self.cards.push(OpenCard::new(id, question));
        }
    }

    pub(super) fn close_card(&mut self, id: &str) -> Option<OpenCard> {
        let at = self.cards.iter().position(|card| card.id == id)?;
        let closed = self.cards.remove(at);
        if self.comment_for.as_deref() == Some(id) {
            self.leave_comment();
        }
        // The next question gets a quiet time of its own.
        if let Some(next) = self.cards.first_mut() {
            next.guard = KeyGuard::default();
        } else {
            self.restore_stash();
        }
        Some(closed)
    }

    pub(super) fn open_stored(&mut self, questions: Vec<(String, Question)>) {
        if questions.is_empty() {
            self.phase = super::Phase::Starting;
            self.working_since = self.now;
            self.actions.push(Action::Resume);
        }
        for (id, question) in questions {
            self.open_card(&id, question);
        }
    }

    pub(super) fn is_question_waiting(&self) -> bool {
        self.cards.first().is_some_and(|card| card.guard.is_waiting())
    }

    /// Returns true if a question is open.
    pub(crate) fn has_question(&self) -> bool {
        !self.cards.is_empty()
    }

    /// The terminal displays the view with the first question.
    pub(super) fn observe_drawing(&mut self) {
        let now = self.now;
        if let (Some(card), None) = (self.cards.first_mut(), &self.picker) {
            card.guard.observe_drawing(now);
        }
    }

    /// Restarts the quiet time of the first question.
    pub(super) fn disturb_question(&mut self) {
        let now = self.now;
        // An answer in words takes longer than the quiet time; Enter counts once the question was displayed.
        if let Some(card) =
            self.cards.first_mut().filter(|card| card.card.is_some() || !card.guard.is_armed())
        {
            card.guard.observe_input(now);
        }
    }

    pub(super) fn advance_question(&mut self, is_idle: bool) {
        let now = self.now;
        let key = self.cards.first_mut().and_then(|card| card.guard.advance(now, is_idle));
        if let Some(key) = key {
            self.answer_with(key);
        }
    }

    /// Returns true if the first question is about a call, and has the keys.
    pub(super) fn has_key_question(&self) -> bool {
        let is_call = self.cards.first().is_some_and(|card| card.card.is_some());
        is_call && self.composer.is_empty() && self.comment_for.is_none()
    }

    /// Takes a character as an answer to the first question. Returns false if it is a part of a text.
    pub(super) fn press_answer(&mut self, key: char) -> bool {
        let now = self.now;
        let offered = self.list_answers();
        let Some(card) = self.cards.first_mut() else { return false };
        let is_answer = CardAnswer::from_key(key).is_some_and(|answer| offered.contains(&answer));
        if let Some(first) = card.guard.take_pending() {
            // Two keys at once are a text.
            card.guard.observe_input(now);
            self.composer.apply(crate::input::Key::Char(first), now);
            return false;
        }
        if !is_answer {
            card.guard.observe_input(now);
            return false;
        }
        card.guard.press(key, now)
    }

    /// Returns the answers that the first card offers.
    fn list_answers(&self) -> Vec<CardAnswer> {
        self.render_card(usize::MAX).map(|rendered| rendered.answers).unwrap_or_default()
    }

    fn answer_with(&mut self, key: char) {
        let Some(first) = self.cards.first() else { return };
        let (id, is_reviewing) = (first.id.clone(), first.review.is_some());
        match CardAnswer::from_key(key) {
            Some(CardAnswer::Details) => self.print_card(),
            Some(CardAnswer::Edit) => self.edit_arguments(),
            Some(answer) if is_reviewing => self.end_review(answer),
            Some(CardAnswer::Once) => self.answer(id, Answer::Once { comment: None }),
            Some(CardAnswer::Session) => self.answer(id, Answer::Session { comment: None }),
            Some(CardAnswer::Later) => self.answer(id, Answer::Later),
            Some(CardAnswer::No) => self.comment_for = Some(id),
            Some(CardAnswer::Rule) => {
                self.hint = Some("looking for the narrowest rule".to_owned());
                self.actions.push(Action::ProposeRule(id));
            }
            _ => {}
        }
    }

    pub(super) fn answer(&mut self, question: String, answer: Answer) {
        self.actions.push(Action::Answer { question, answer });
    }

    /// Appends the whole first card to the scrollback.
    fn print_card(&mut self) {
        let options = self.canvas.render_options();
        let now = self.now;
        let Some(open) = self.cards.first_mut() else { return };
        let Some(lines) = open.render_whole(&options) else { return };
        open.is_printed = true;
        open.guard.observe_input(now);
        self.transcript.add_lines(lines);
    }

    /// Answers the first question with the text of the composer. Returns false if it does not take a text.
    pub(super) fn answer_in_words(&mut self) -> bool {
        if let Some(id) = self.comment_for.take() {
            let comment = self.composer.take();
            let comment = Some(comment).filter(|comment| !comment.trim().is_empty());
            self.answer(id, Answer::No { comment });
            return true;
        }
        let Some(card) = self.cards.first().filter(|card| card.card.is_none()) else { return false };
        let text = self.composer.whole_text();
        if text.starts_with('/') {
            return false;
        }
        if !card.guard.is_armed() {
            self.hint = Some("the question appeared while you typed: press Enter again".to_owned());
            return true;
        }
        let number = text.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let chosen = number.and_then(|number| card.suggestions().get(number)).cloned();
        let id = card.id.clone();
        self.composer.clear();
        self.answer(id, Answer::Words { text: chosen.unwrap_or(text) });
        true
    }

    /// Gives the first question the keys, and stores the text of the composer meanwhile.
    pub(super) fn focus_question(&mut self) {
        if self.composer.is_empty() {
            return;
        }
        self.stash = Some(self.composer.take());
        self.disturb_question();
    }

    pub(super) fn leave_comment(&mut self) {
        self.comment_for = None;
    }

    /// Returns the stored text to the composer.
    pub(super) fn restore_stash(&mut self) {
        if self.composer.is_empty()
            && let Some(text) = self.stash.take()
        {
            self.composer.set(&text);
        }
    }
}
