//! Keys, pastes and reports around the appearance of a question.

use windlass_app::sessions::Answer;

use super::Window;
use crate::action::Action;
use crate::input::{Input, Key};

const COMMAND: &str = "touch c";

/// Keys that answer a question, and others.
const KEYS: [Key; 8] = [
    Key::Char('y'),
    Key::Char('a'),
    Key::Char('l'),
    Key::Char('n'),
    Key::Char('d'),
    Key::Char('1'),
    Key::Char('x'),
    Key::Char(' '),
];

/// Presses a key every 10 ms, from a second before the question to `after` milliseconds after it was displayed.
fn type_across(attempt: u64, after: u64) -> Window {
    let mut window = Window::new(80, 24);
    window.start("x");
    let appearance = 200 + attempt % 10 + attempt % 97;
    let mut drawn = None;
    let mut at = 0;
    while drawn.is_none_or(|drawn| at < drawn + after) {
        window.advance(1);
        at += 1;
        if at == appearance {
            window.ask("q", COMMAND);
        }
        let is_painted = at > appearance && window.painted_at == Some(window.now);
        if is_painted && drawn.is_none() {
            drawn = Some(at);
        }
        if at % 10 == 0 {
            let key = KEYS[usize::try_from((attempt + at / 10 * (attempt % 5)) % 8).unwrap()];
            window.key(key);
        }
        assert!(!window.has_answer(), "attempt {attempt}: a key at {at} answered; drawn at {drawn:?}");
    }
    window
}

#[test]
fn a_thousand_streams_of_keys_across_a_card_answer_nothing() {
    for attempt in 0..1_000 {
        // The typing ends at most 600 ms after the card has appeared.
        let mut window = type_across(attempt, attempt * 37 % 600);
        // The last keys do not answer later either.
        window.advance(600);
        assert!(!window.has_answer(), "attempt {attempt}: a key answered after the typing had ended");
        if attempt % 50 == 0 {
            assert!(window.text().contains(COMMAND), "{}", window.text());
            // The card still accepts an intended key.
            window.key(Key::Interrupt);
            window.advance(600);
            window.key(Key::Char('y'));
            window.advance(200);
            let answer = Action::Answer { question: "q".to_owned(), answer: Answer::Once { comment: None } };
            let screen = window.text();
            assert!(window.actions.contains(&answer), "{:?}\n{screen}", window.actions);
        }
    }
}

#[test]
fn pastes_and_reports_of_the_focus_never_answer_a_card_that_takes_keys() {
    let pastes = ["y", "y\n", "yes\ny\n", "a", "\ny", "n", "l", "d", "no, rather do this:\ny\n"];
    let inputs = pastes.iter().map(|text| Input::Paste((*text).to_owned()));
    let inputs = inputs.chain([Input::Focus(true), Input::Focus(false), Input::Paste("y ".repeat(600_000))]);
    for input in inputs {
        let mut window = Window::new(80, 24);
        window.start("x");
        window.ask("q", COMMAND);
        window.advance(600);
        window.apply(input.clone());
        window.advance(2_000);
        assert!(!window.has_answer(), "{input:?} answered");
        // A key right after the paste belongs to it.
        window.apply(input.clone());
        window.advance(20);
        window.key(Key::Char('y'));
        window.advance(2_000);
        assert!(!window.has_answer(), "the key after {input:?} answered");
        window.check();
    }
}

#[test]
fn the_next_card_does_not_get_the_second_key_of_a_double_press() {
    for gap in [1, 5, 20, 59, 61, 100, 200, 390] {
        let mut window = Window::new(80, 24);
        window.start("x");
        window.ask("q1", COMMAND);
        window.ask("q2", "rm c");
        window.advance(600);
        window.key(Key::Char('y'));
        window.advance(70);
        let first = window.actions.iter().filter(|action| matches!(action, Action::Answer { .. })).count();
        assert_eq!(first, 1);
        window.feed(serde_json::json!({"kind": "question_closed", "question": "q1", "answer": "approved"}));
        window.advance(gap);
        window.key(Key::Char('y'));
        window.advance(2_000);
        let answers = window.actions.iter().filter(|action| matches!(action, Action::Answer { .. })).count();
        assert_eq!(answers, 1, "a second key after {gap} ms answered the second card");
    }
}

#[test]
fn the_hint_below_a_question_is_complete_on_a_narrow_terminal() {
    let mut window = Window::new(40, 24);
    window.start("x");
    window.ask("q", COMMAND);
    window.advance(1_000);
    window.key(Key::Char('n'));
    window.advance(100);
    let words = window.text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("no: write a comment, or only press Enter; Esc: back"), "{words}");
}
