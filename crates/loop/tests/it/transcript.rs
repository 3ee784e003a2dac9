//! The conversation cannot be invalid (R3).

use windlass_loop::{Transcript, TranscriptError};
use windlass_protocol::{Arguments, CallId, Message, Part, ResultStatus, ToolCall, ToolName, ToolResult};

fn call(id: &str) -> Part {
    let (id, name) = (CallId::new(id).unwrap(), ToolName::new("look").unwrap());
    Part::Call(ToolCall::function(id, name, Arguments::default()))
}

fn result(id: &str) -> ToolResult {
    ToolResult::text(CallId::new(id).unwrap(), ResultStatus::Ok, "")
}

fn open() -> Transcript {
    let mut transcript = Transcript::default();
    transcript.push_user(Message::user("task")).unwrap();
    transcript.push_assistant(Message::assistant(vec![call("a"), call("b")])).unwrap();
    transcript
}

#[test]
fn no_message_is_sent_while_results_are_missing() {
    let mut transcript = open();
    assert_eq!(transcript.push_user(Message::user("more")), Err(TranscriptError::Open { missing: 2 }));
    assert_eq!(
        transcript.push_assistant(Message::assistant(vec![call("c")])),
        Err(TranscriptError::Open { missing: 2 })
    );
    transcript.push_result(result("b")).unwrap();
    assert_eq!(transcript.push_user(Message::user("more")), Err(TranscriptError::Open { missing: 1 }));
    transcript.push_result(result("a")).unwrap();
    transcript.push_user(Message::user("more")).unwrap();
    assert_eq!(transcript.messages().len(), 4);
}

#[test]
fn a_result_needs_its_call_and_is_accepted_once() {
    let mut transcript = open();
    assert!(matches!(transcript.push_result(result("x")), Err(TranscriptError::NoSuchCall { .. })));
    transcript.push_result(result("a")).unwrap();
    assert!(matches!(transcript.push_result(result("a")), Err(TranscriptError::SecondResult { .. })));
}

#[test]
fn empty_messages_wrong_roles_and_equal_ids_are_refused() {
    let mut transcript = Transcript::default();
    assert_eq!(transcript.push_assistant(Message::assistant(vec![])), Err(TranscriptError::Message));
    assert_eq!(
        transcript.push_user(Message::assistant(vec![Part::text("x")])),
        Err(TranscriptError::Message)
    );
    let twice = Message::assistant(vec![call("a"), call("a")]);
    assert!(matches!(transcript.push_assistant(twice), Err(TranscriptError::DuplicateCall { .. })));
    assert!(transcript.messages().is_empty());
}
