//! Values in prose and in fences, and hostile text.

use super::*;

fn found(text: &str, takes_lists: bool) -> Vec<String> {
    let mut all = Vec::new();
    for piece in [1, 3, text.len().max(1)] {
        let mut answer = AnswerText::new(takes_lists);
        let characters: Vec<char> = text.chars().collect();
        for piece in characters.chunks(piece) {
            answer.push(&piece.iter().collect::<String>());
        }
        let mut values = Vec::new();
        loop {
            values.extend(answer.complete_value().map(str::to_owned));
            if !answer.skip_value() {
                break;
            }
        }
        all.push(values);
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{text}: {all:?}");
    all.pop().unwrap_or_default()
}

#[test]
fn json_objects_are_found_in_prose_and_fences() {
    assert_eq!(found(r#"{"a": 1}"#, false), [r#"{"a": 1}"#]);
    assert_eq!(found("Of course:\n```json\n{\"a\": 1}\n```\nDone {b}.", false), [r#"{"a": 1}"#]);
    assert_eq!(found(r#"I use {braces} and {{more}}: {"a": 1}"#, false), [r#"{"a": 1}"#]);
    assert_eq!(found(r#"{"a": 1} or {"b": 2}"#, false), [r#"{"a": 1}"#, r#"{"b": 2}"#]);
    assert_eq!(found(r#"é {"a": é {"b": "é"}"#, false), [r#"{"b": "é"}"#]);
    assert_eq!(found(r#"{"a": 1"#, false), Vec::<String>::new());
    assert_eq!(found("", false), Vec::<String>::new());
}

#[test]
fn arrays_count_only_without_surrounding_text() {
    assert_eq!(found("[1, 2]", true), ["[1, 2]"]);
    assert_eq!(found("[1, 2]", false), Vec::<String>::new());
    assert_eq!(found("Here:\n```json\n[1, 2]\n```", true), ["[1, 2]"]);
    assert_eq!(found("As [1] says, it is 3.", true), Vec::<String>::new());
    assert_eq!(found("[1] says it is 3.", true), Vec::<String>::new());
    assert_eq!(found("[1] says {\"answer\": 3}", true), ["{\"answer\": 3}"]);
}

#[test]
fn a_value_that_was_shown_and_breaks_is_discarded_once() {
    let mut answer = AnswerText::new(false);
    assert_eq!(answer.push("It is {"), Growth { is_discarded: false, is_grown: true });
    assert_eq!(answer.push("curly} "), Growth { is_discarded: true, is_grown: false });
    assert_eq!(answer.push("{never} "), Growth::default(), "not shown, so not discarded");
    assert_eq!(answer.push("{\"a\""), Growth { is_discarded: false, is_grown: true });
    assert!(answer.is_open());
    assert!(answer.clear());
    assert!(!answer.clear());
}

#[test]
fn hostile_text_takes_linear_time() {
    for unit in ["{", "{\"a\":", "[", "{}", "{\"a\":[[[", "```\n["] {
        let text = unit.repeat(200_000);
        let mut answer = AnswerText::new(true);
        for piece in text.as_bytes().chunks(64) {
            answer.push(std::str::from_utf8(piece).unwrap_or_default());
        }
        // A quadratic scan of these texts would take hours.
        assert_eq!(answer.text().len(), text.len());
    }
}
