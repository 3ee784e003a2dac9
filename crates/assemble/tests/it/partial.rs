//! The arguments while they arrive.

use windlass_assemble::CallIndex;
use windlass_assemble::{AssembleOptions, Assembler, CallEvent};

use crate::script::{calls, fragment};

#[test]
fn partial_arguments_can_be_read_while_they_stream() {
    let mut assembler = Assembler::new(AssembleOptions::default());
    let mut events = Vec::new();
    assembler.push(fragment(0, "a", "write", r#"{"path":"a.rs","content":"fn ma"#), &mut events);
    let content = |assembler: &Assembler| {
        let partial = assembler.partial(CallIndex(0))?;
        Some(partial.get("content")?.as_str()?.to_owned())
    };
    assert_eq!(content(&assembler).as_deref(), Some("fn ma"));
    assembler.push(fragment(0, "", "", "in"), &mut events);
    assert_eq!(content(&assembler).as_deref(), Some("fn main"));
    let complete: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            CallEvent::ArgumentComplete { path, value, .. } => Some((path.as_str(), value.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(complete, [("/path", "a.rs".into())]);
    assembler.push(fragment(0, "", "", r#""}"#), &mut events);
    assembler.push(calls(), &mut events);
    assert!(assembler.partial(CallIndex(0)).is_none());
    assert!(assembler.partial(CallIndex(u64::MAX)).is_none());
}

#[test]
fn only_top_level_members_are_reported_complete() {
    let mut assembler = Assembler::new(AssembleOptions::default());
    let mut events = Vec::new();
    assembler
        .push(fragment(0, "a", "edit", r#"{"edits":[{"from":"x"},{"to":"y"}],"a/b":1,"c":2}"#), &mut events);
    let paths: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            CallEvent::ArgumentComplete { path, .. } => Some(path.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(paths, ["/edits", "/a~1b", "/c"]);
}
