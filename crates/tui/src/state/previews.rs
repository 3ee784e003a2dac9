//! Changed arguments and rules that a person looks at before they count.

use windlass_app::sessions::Answer;
use windlass_protocol::Arguments;
use windlass_screen::{Answer as CardAnswer, ApprovalCard, RuleCard};

use super::State;
use super::questions::OpenCard;
use super::review::Review;
use crate::action::Action;
use crate::guard::KeyGuard;

impl OpenCard {
    /// Shows an answer, or the question again. Keys answer it after a quiet time of its own.
    fn set_review(&mut self, review: Option<Review>) {
        self.review = review;
        self.is_printed = false;
        self.guard = KeyGuard::default();
    }
}

impl State {
    /// Opens the arguments of the first question's call in the external editor.
    pub(super) fn edit_arguments(&mut self) {
        let Some(open) = self.cards.first() else { return };
        let Some(card) = &open.card else { return };
        let text = open.draft.clone().or_else(|| serde_json::to_string_pretty(&card.arguments).ok());
        let question = open.id.clone();
        self.actions.push(Action::EditArguments { question, text: text.unwrap_or_default() });
    }

    /// Parses the arguments that the person wrote, and requests their check.
    pub(super) fn review_text(&mut self, question: &str, text: Option<String>) {
        let Some(text) = text else {
            self.hint = Some("the editor did not return a text: the arguments are unchanged".to_owned());
            return;
        };
        let Some(open) = self.find_card(question) else {
            self.transcript.add_notice("the question was closed while you edited the arguments");
            return;
        };
        let parsed = Arguments::parse(text.as_str());
        let is_same = match (&parsed, &open.card) {
            (Ok(arguments), Some(card)) => *arguments.as_value() == card.arguments,
            _ => false,
        };
        open.draft = (!is_same).then_some(text);
        match parsed {
            Ok(_) if is_same => {
                open.set_review(None);
                self.hint = Some("the arguments are unchanged".to_owned());
            }
            Ok(arguments) => {
                self.actions.push(Action::CheckArguments { question: question.to_owned(), arguments });
            }
            Err(error) => {
                let words = format!("the arguments are not a JSON object: {error}; e opens them again");
                self.transcript.add_error(&words);
            }
        }
    }

    /// Shows checked arguments as a card. They count when the person confirms them.
    pub(super) fn review_arguments(&mut self, question: &str, arguments: Arguments, problem: Option<String>) {
        let Some(open) = self.find_card(question) else { return };
        if let Some(problem) = problem {
            let words = format!("the tool does not accept these arguments: {problem}; e opens them again");
            self.transcript.add_error(&words);
            return;
        }
        let Some(asked) = &open.card else { return };
        let mut card = ApprovalCard::default();
        (card.agents, card.tool) = (asked.agents.clone(), asked.tool.clone());
        (card.risk, card.containment) = (asked.risk.clone(), asked.containment.clone());
        card.gaps.clone_from(&asked.gaps);
        "with the arguments that you changed. You are asked again if they have another kind of effect, a higher risk, \
         or change a file"
            .clone_into(&mut card.reason);
        card.arguments = arguments.to_value();
        card.answers = vec![CardAnswer::Once, CardAnswer::Edit, CardAnswer::Back];
        open.set_review(Some(Review::Edit { arguments, card: Box::new(card) }));
    }

    /// Shows a proposed rule. It is written when the person accepts it.
    pub(super) fn review_rule(&mut self, question: &str, card: RuleCard, digest: String) {
        self.hint = None;
        let Some(open) = self.find_card(question) else { return };
        open.set_review(Some(Review::Rule { digest, card }));
    }

    /// Accepts the shown answer, or returns to the question.
    pub(super) fn end_review(&mut self, answer: CardAnswer) {
        let Some(open) = self.cards.first_mut() else { return };
        let question = open.id.clone();
        match (&open.review, answer) {
            (Some(Review::Edit { arguments, .. }), CardAnswer::Once) => {
                let arguments = arguments.clone();
                self.answer(question, Answer::Edited { arguments, comment: None });
            }
            (Some(Review::Rule { digest, .. }), CardAnswer::Once) => {
                let digest = digest.clone();
                self.actions.push(Action::AcceptRule { question, digest });
            }
            (_, CardAnswer::Back) => open.set_review(None),
            _ => {}
        }
    }

    fn find_card(&mut self, question: &str) -> Option<&mut OpenCard> {
        self.cards.iter_mut().find(|card| card.id == question)
    }
}
