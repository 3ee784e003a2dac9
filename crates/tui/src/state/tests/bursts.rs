//! Keys that arrive in one read.

use super::Talk;
use crate::action::Action;
use crate::input::{Input, Key};

/// Applies the keys of one read, a second after the input before it.
fn read(talk: &mut Talk, text: &str) -> Vec<Action> {
    talk.now += 1_000;
    let keys = text.chars().map(|letter| if letter == '\r' { Key::Enter } else { Key::Char(letter) });
    keys.flat_map(|key| talk.apply(Input::Key(key))).collect()
}

#[test]
fn a_line_and_enter_in_one_read_are_submitted() {
    let mut talk = Talk::new();
    assert_eq!(read(&mut talk, "hello\r"), [], "more can follow");
    assert!(talk.state.next_tick().is_some());
    let actions = talk.wait(100);
    assert!(matches!(&actions[..], [Action::Submit { task, .. }] if task == "hello"), "{actions:?}");
    assert_eq!(talk.wait(500), []);
    // Several lines are a paste, also with a line break at the end.
    let mut talk = Talk::new();
    for paste in ["one\rtwo", "a\rb\r"] {
        assert_eq!(read(&mut talk, paste), []);
        assert_eq!(talk.wait(500), []);
    }
    assert_eq!(talk.state.composer.text(), "one\ntwoa\nb\n");
    let actions = talk.key(Key::Enter);
    assert!(matches!(&actions[..], [Action::Submit { .. }]), "a person submits it: {actions:?}");
}

#[test]
fn a_key_after_a_line_in_one_read_follows_its_enter() {
    let mut talk = Talk::new();
    assert_eq!(read(&mut talk, "hi\r"), []);
    let actions = talk.apply(Input::Key(Key::Redraw));
    assert!(
        matches!(&actions[..], [Action::Submit { task, .. }, Action::Redraw] if task == "hi"),
        "{actions:?}"
    );
}
