//! Questions, and the keys that answer them.

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_app::sessions::Answer;

use super::Talk;
use crate::action::Action;
use crate::input::{Input, Key, Reply};

fn card(id: &str, command: &str) -> Value {
    json!({
        "kind": "question_opened", "question": id, "about": "call",
        "card": {
            "call": id, "tool": "run_command", "arguments": {"command": command}, "rule": "d.ask",
            "source": "builtin", "reason": "running a command needs a yes", "risk": "high",
            "effects": [{"kind": "execute", "target": command}], "commands": [["touch", "c"]],
            "digest": "d", "can_remember": true, "scope": "run_command exactly `touch c`", "text": "t",
        }
    })
}

fn question(id: &str) -> Value {
    json!({
        "kind": "question_opened", "question": id, "about": "words", "text": "Which database?",
        "suggestions": ["sqlite", "postgres"]
    })
}

fn answer_of(question: &str, answer: Answer) -> Action {
    Action::Answer { question: question.to_owned(), answer }
}

fn asked() -> Talk {
    let mut talk = Talk::new();
    talk.start("x");
    talk.feed(card("q1", "touch c"));
    talk
}

#[test]
fn a_key_answers_after_the_question_stood() {
    let mut talk = asked();
    assert!(talk.view().contains("run_command"), "{}", talk.view());
    assert_eq!(talk.wait(600), []);
    assert_eq!(talk.apply(Input::Key(Key::Char('y'))), []);
    assert_eq!(talk.wait(100), [answer_of("q1", Answer::Once { comment: None })]);
    talk.feed(json!({"kind": "question_closed", "question": "q1", "answer": "approved"}));
    assert!(!talk.view().contains("touch c"), "{}", talk.view());
}

#[test]
fn a_key_before_the_question_stood_is_a_text() {
    let mut talk = asked();
    talk.apply(Input::Drawn);
    assert_eq!(talk.apply(Input::Key(Key::Char('y'))), []);
    assert_eq!(talk.wait(2_000), []);
    assert!(talk.view().contains("› y") && talk.view().contains("Tab: answer"), "{}", talk.view());
    // The text stays while the question is answered.
    talk.key(Key::Tab);
    talk.wait(600);
    talk.apply(Input::Key(Key::Char('a')));
    assert_eq!(talk.wait(100), [answer_of("q1", Answer::Session { comment: None })]);
    talk.feed(json!({"kind": "question_closed", "question": "q1", "answer": "approved", "remembered": true}));
    assert_eq!(talk.state.composer.text(), "y");
}

#[test]
fn a_paste_a_burst_and_a_click_never_answer() {
    for input in [Input::Paste("y".to_owned()), Input::Focus(true)] {
        let mut talk = asked();
        talk.wait(600);
        assert_eq!(talk.apply(input), []);
        assert_eq!(talk.wait(2_000), []);
    }
    let mut talk = asked();
    talk.wait(600);
    for character in "yes".chars() {
        talk.now += 2;
        assert_eq!(talk.apply(Input::Key(Key::Char(character))), []);
    }
    assert_eq!(talk.wait(2_000), []);
    assert_eq!(talk.state.composer.text(), "yes");
}

#[test]
fn a_denial_accepts_a_comment() {
    let mut talk = asked();
    talk.wait(600);
    talk.apply(Input::Key(Key::Char('n')));
    assert_eq!(talk.wait(100), []);
    assert!(talk.view().contains("write a comment"), "{}", talk.view());
    let no = Answer::No { comment: Some("use make".to_owned()) };
    assert_eq!(talk.send("use make"), [answer_of("q1", no)]);
}

#[test]
fn the_next_question_has_a_separate_quiet_time() {
    let mut talk = asked();
    talk.feed(card("q2", "rm c"));
    assert!(talk.view().contains("1 of 2"), "{}", talk.view());
    talk.wait(600);
    talk.apply(Input::Key(Key::Char('y')));
    talk.wait(100);
    talk.feed(json!({"kind": "question_closed", "question": "q1", "answer": "approved"}));
    talk.apply(Input::Drawn);
    assert_eq!(talk.apply(Input::Key(Key::Char('y'))), []);
    assert_eq!(talk.wait(2_000), []);
}

#[test]
fn an_answer_from_another_client_closes_the_question() {
    let mut talk = asked();
    talk.feed(json!({
        "kind": "question_closed", "question": "q1", "answer": "denied", "by": "page on phone"
    }));
    assert!(talk.printed.iter().any(|line| line.contains("answered in page on phone")), "{:?}", talk.printed);
    let mut talk = asked();
    talk.feed(json!({
        "kind": "question_closed", "question": "q1", "answer": "approved", "by": "page", "arguments": {"command": "ls"}
    }));
    let words = "answered in page with changed arguments";
    assert!(talk.printed.iter().any(|line| line.contains(words)), "{:?}", talk.printed);
}

#[test]
fn a_text_question_accepts_a_text_or_a_number() {
    let mut talk = Talk::new();
    talk.start("x");
    talk.type_text("typing");
    talk.feed(question("q"));
    talk.apply(Input::Drawn);
    // Enter sends the message and does not answer the question.
    assert_eq!(talk.key(Key::Enter), []);
    assert!(talk.view().contains("press Enter again"), "{}", talk.view());
    talk.key(Key::Interrupt);
    talk.wait(600);
    let chosen = Answer::Words { text: "postgres".to_owned() };
    assert_eq!(talk.send("2"), [answer_of("q", chosen)]);
}

#[test]
fn a_card_that_does_not_fit_cannot_be_remembered_until_it_was_printed() {
    let mut talk = Talk::new();
    talk.start("x");
    let mut event = card("q1", "touch c");
    let rows: Vec<String> = (0..300).map(|line| format!("+line {line}\n")).collect();
    let diff = rows.concat();
    event["card"]["changes"] =
        json!([{"path": "a", "diff": format!("--- a\n+++ a\n@@ -0,0 +1,300 @@\n{diff}")}]);
    talk.feed(event);
    talk.wait(600);
    talk.apply(Input::Key(Key::Char('a')));
    assert_eq!(talk.wait(200), []);
    talk.key(Key::Backspace);
    talk.wait(600);
    talk.apply(Input::Key(Key::Char('d')));
    talk.wait(100);
    assert!(talk.printed.iter().any(|line| line.contains("line 299")), "the whole card is printed");
    let view = talk.view();
    for words in ["a yes, for this session", "a covers: run_command exactly", "more"] {
        assert!(view.contains(words), "{words}: {view}");
    }
    assert!(!view.contains("Not everything") && !view.contains("d show"), "{view}");
    talk.wait(600);
    talk.apply(Input::Key(Key::Char('a')));
    assert_eq!(talk.wait(100), [answer_of("q1", Answer::Session { comment: None })]);
}

#[test]
fn a_suspended_session_is_answered_and_resumed() {
    let mut talk = asked();
    let outcome = json!({"state": "suspended", "questions": ["q1"], "results": []});
    talk.feed(json!({"kind": "run_ended", "outcome": outcome, "total": {}}));
    assert_eq!(talk.send("/questions"), [Action::ListQuestions]);
    let event = card("q1", "touch c");
    let card: windlass_app::feed::Question = serde_json::from_value(event).unwrap();
    talk.apply(Input::Reply(Reply::Questions(vec![("q1".to_owned(), card)])));
    talk.wait(600);
    talk.apply(Input::Key(Key::Char('y')));
    assert_eq!(talk.wait(100), [answer_of("q1", Answer::Once { comment: None })]);
    talk.apply(Input::Reply(Reply::Answered("q1".to_owned())));
    assert_eq!(talk.apply(Input::Reply(Reply::Stored { unanswered: 0 })), [Action::Resume]);
}

fn arguments(text: &str) -> windlass_protocol::Arguments {
    windlass_protocol::Arguments::parse(text).unwrap()
}

/// Presses the key of an answer when the question accepts keys, and returns the actions.
fn press(talk: &mut Talk, key: char) -> Vec<Action> {
    talk.wait(600);
    let mut actions = talk.apply(Input::Key(Key::Char(key)));
    actions.extend(talk.wait(100));
    actions
}

fn edited(text: Option<&str>) -> Input {
    Input::Reply(Reply::ArgumentsEdited { question: "q1".to_owned(), text: text.map(str::to_owned) })
}

#[test]
fn edited_arguments_are_checked_and_shown_before_they_count() {
    let mut talk = asked();
    let text = "{\n  \"command\": \"touch c\"\n}".to_owned();
    assert_eq!(press(&mut talk, 'e'), [Action::EditArguments { question: "q1".to_owned(), text }]);
    // The check finds a violation: the card stays, and the text is not lost.
    let wrong = r#"{"command": 1}"#;
    let check = Action::CheckArguments { question: "q1".to_owned(), arguments: arguments(wrong) };
    assert_eq!(talk.apply(edited(Some(wrong))), [check]);
    let problem = Some("command: not a string".to_owned());
    let reply = Reply::ArgumentsChecked { question: "q1".to_owned(), arguments: arguments(wrong), problem };
    talk.apply(Input::Reply(reply));
    assert!(talk.printed.iter().any(|line| line.contains("command: not a string")), "{:?}", talk.printed);
    assert!(talk.view().contains("touch c"), "{}", talk.view());
    let again = Action::EditArguments { question: "q1".to_owned(), text: wrong.to_owned() };
    assert_eq!(press(&mut talk, 'e'), [again]);
    let right = r#"{"command": "touch d"}"#;
    talk.apply(edited(Some(right)));
    let (question, changed) = ("q1".to_owned(), arguments(right));
    talk.apply(Input::Reply(Reply::ArgumentsChecked { question, arguments: changed.clone(), problem: None }));
    let view = talk.view();
    assert!(view.contains("touch d") && view.contains("b back") && !view.contains("touch c"), "{view}");
    // The new card has a quiet time of its own.
    talk.apply(Input::Drawn);
    assert_eq!(talk.apply(Input::Key(Key::Char('y'))), []);
    assert_eq!(talk.wait(2_000), []);
    talk.key(Key::Backspace);
    let answer = Answer::Edited { arguments: changed, comment: None };
    assert_eq!(press(&mut talk, 'y'), [answer_of("q1", answer)]);
}

#[test]
fn an_edit_that_changes_nothing_or_is_not_json_answers_nothing() {
    let mut talk = asked();
    assert_eq!(talk.apply(edited(Some(r#"{ "command" : "touch c" }"#))), []);
    assert_eq!(talk.apply(edited(None)), []);
    assert_eq!(talk.apply(edited(Some("touch d"))), []);
    assert!(talk.printed.iter().any(|line| line.contains("not a JSON object")), "{:?}", talk.printed);
    talk.feed(json!({"kind": "question_closed", "question": "q1", "answer": "denied", "by": "page"}));
    assert_eq!(talk.apply(edited(Some(r#"{"command": "touch d"}"#))), []);
    assert!(talk.printed.iter().any(|line| line.contains("was closed while")), "{:?}", talk.printed);
}

#[test]
fn a_changed_card_returns_to_the_question() {
    let mut talk = asked();
    let changed = arguments(r#"{"command": "touch d"}"#);
    let reply = Reply::ArgumentsChecked { question: "q1".to_owned(), arguments: changed, problem: None };
    talk.apply(Input::Reply(reply));
    // An answer for the session would cover another call than the shown one.
    assert_eq!(press(&mut talk, 'a'), []);
    talk.key(Key::Backspace);
    assert_eq!(press(&mut talk, 'b'), []);
    assert!(talk.view().contains("touch c"), "{}", talk.view());
    assert_eq!(press(&mut talk, 'y'), [answer_of("q1", Answer::Once { comment: None })]);
}

#[test]
fn a_rule_is_proposed_and_its_digest_accepted() {
    let mut talk = asked();
    assert_eq!(press(&mut talk, 'r'), [Action::ProposeRule("q1".to_owned())]);
    let reply = Reply::Rule { question: "q1".to_owned(), card: rule(1), digest: "d1".to_owned() };
    talk.apply(Input::Reply(reply));
    let view = talk.view();
    for part in ["make a rule", "policy.toml", "verdict", "touch x", "rm x", "write the rule"] {
        assert!(view.contains(part), "{part}: {view}");
    }
    let accept = Action::AcceptRule { question: "q1".to_owned(), digest: "d1".to_owned() };
    assert_eq!(press(&mut talk, 'y'), [accept]);
}

#[test]
fn a_rule_that_does_not_fit_is_accepted_after_it_was_printed() {
    let mut talk = asked();
    let reply = Reply::Rule { question: "q1".to_owned(), card: rule(60), digest: "d1".to_owned() };
    talk.apply(Input::Reply(reply));
    assert_eq!(press(&mut talk, 'y'), []);
    talk.key(Key::Backspace);
    assert_eq!(press(&mut talk, 'd'), []);
    assert!(talk.printed.iter().any(|line| line.contains("line59")), "{:?}", talk.printed);
    let accept = Action::AcceptRule { question: "q1".to_owned(), digest: "d1".to_owned() };
    assert_eq!(press(&mut talk, 'y'), [accept]);
}

#[test]
fn an_edited_call_is_printed_with_its_arguments_only() {
    let mut talk = asked();
    talk.feed(json!({"kind": "call_started", "call": "q1", "tool": "run_command"}));
    let text = "The human changed the arguments of this call to {\"command\":\"touch d\"}\n\
                The result of the changed call:\n\n[exit code 0]";
    talk.feed(json!({"kind": "result", "call": "q1", "status": "ok", "text": text}));
    let printed = talk.printed.join("\n");
    assert!(printed.contains("touch d") && printed.contains("a person changed"), "{printed}");
    assert!(!printed.contains("The human") && !printed.contains("The result of"), "{printed}");
}

fn rule(lines: usize) -> windlass_screen::RuleCard {
    let rows = (0..lines).map(|line| format!("line{line} = 1\n")).collect::<Vec<_>>().concat();
    let text = format!("[[rule]]\nverdict = \"allow\"\n{rows}");
    let mut card = windlass_screen::RuleCard::new("policy.toml", text);
    card.allows = vec!["run_command touch x".to_owned()];
    card.refuses = vec!["run_command rm x".to_owned()];
    card
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn random_keys_answer_only_a_question_shown_long_enough(
        gaps in proptest::collection::vec(0_u64..600, 1..15),
        letters in "[yanx]{15}",
        appearance in 0_u64..2_000,
    ) {
        let mut talk = Talk::new();
        talk.start("x");
        let begin = talk.now;
        let times: Vec<u64> = gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) }).collect();
        let mut drawn = None;
        for at in 0..times.last().copied().unwrap_or_default() + 1_000 {
            talk.now = begin + at;
            if at == appearance {
                talk.feed(card("q", "touch c"));
            }
            for (index, _) in times.iter().enumerate().filter(|(_, time)| **time == at) {
                let letter = letters.chars().nth(index).unwrap_or('y');
                prop_assert_eq!(talk.apply(Input::Key(Key::Char(letter))), vec![]);
            }
            if at % 20 == 0 {
                let actions = talk.apply(Input::Tick { is_idle: true });
                talk.apply(Input::Drawn);
                if at >= appearance && drawn.is_none() {
                    drawn = Some(at);
                }
                if actions.iter().any(|action| matches!(action, Action::Answer { .. })) {
                    let last = times.iter().filter(|time| **time <= at).max().copied().unwrap_or_default();
                    let drawn = drawn.unwrap_or(u64::MAX);
                    prop_assert!(last >= drawn.saturating_add(400), "the key at {} answered; drawn at {}", last, drawn);
                    prop_assert_eq!(times.iter().filter(|time| **time + 60 > last && **time <= last).count(), 1);
                    return Ok(());
                }
            }
        }
    }
}
