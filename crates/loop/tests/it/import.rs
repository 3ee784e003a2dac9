//! Conversations from elsewhere (R3).

use proptest::prelude::*;
use windlass_loop::{Command, Input, Machine, Mend, Transcript};
use windlass_protocol::{
    Arguments, CallId, Message, Part, ResultStatus, Role, ToolCall, ToolName, ToolResult,
};

use crate::driven::{check_paired, config, entries};

fn id(text: &str) -> CallId {
    CallId::new(text).unwrap()
}

fn call(text: &str) -> Part {
    Part::Call(ToolCall::function(id(text), ToolName::new("look").unwrap(), Arguments::default()))
}

fn result(text: &str, says: &str) -> ToolResult {
    ToolResult::text(id(text), ResultStatus::Ok, says)
}

fn results(list: &[(&str, &str)]) -> Message {
    Message::results(list.iter().map(|(call, says)| result(call, says)))
}

/// Compares the imported messages, each written as one short word, and the texts of the repairs.
#[track_caller]
fn check(messages: Vec<Message>, expected: &[&str], mends: &[&str]) {
    let imported = Transcript::import(messages);
    check_paired(imported.transcript.messages());
    let told: Vec<String> = imported.transcript.messages().iter().flat_map(words).collect();
    assert_eq!(told, expected);
    let told: Vec<String> = imported.mends.iter().map(Mend::to_string).collect();
    assert_eq!(told.len(), mends.len(), "{told:?}");
    for (told, wanted) in told.iter().zip(mends) {
        assert!(told.contains(wanted), "{told}");
    }
}

fn words(message: &Message) -> Vec<String> {
    message
        .parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => format!("{:?}: {}", message.role, text.text),
            Part::Call(call) => format!("call {}", call.id),
            Part::Result(result) => format!("{} of {}", result.wire_text(), result.call),
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn a_complete_conversation_is_imported_unchanged() {
    let messages = vec![
        Message::user("task"),
        Message::assistant(vec![call("a"), call("b")]),
        results(&[("a", "1"), ("b", "2")]),
        Message::assistant(vec![Part::text("done")]),
    ];
    check(messages, &["User: task", "call a", "call b", "1 of a", "2 of b", "Assistant: done"], &[]);
}

// Results are paired by id, and only the remaining ones by position.
#[test]
fn results_are_paired_by_id_and_then_by_place() {
    let messages = vec![
        Message::user("task"),
        Message::assistant(vec![call("a"), call("b"), call("c")]),
        results(&[("x", "first"), ("b", "second"), ("y", "third")]),
    ];
    check(
        messages,
        &["User: task", "call a", "call b", "call c", "first of a", "second of b", "third of c"],
        &[
            "the result x has no call of that id, and was assigned to a",
            "y has no call of that id, and was assigned to c",
        ],
    );
}

#[test]
fn missing_duplicate_and_orphan_results_are_repaired_and_reported() {
    let messages = vec![
        results(&[("z", "nobody's")]),
        Message::user("task"),
        Message::assistant(Vec::new()),
        Message::assistant(vec![call("a"), call("a"), call("b")]),
        results(&[("a", "1"), ("b", "2"), ("b", "3")]),
        Message::user("go on"),
        results(&[("a", "4")]),
        Message::new(Role::User, Vec::new()),
        Message::assistant(vec![call("b")]),
    ];
    let unknown = "[effects_unknown] The result of this call is not recorded";
    let imported = Transcript::import(messages.clone());
    check_paired(imported.transcript.messages());
    let told: Vec<String> = imported.transcript.messages().iter().flat_map(words).collect();
    assert_eq!(told[..4], ["User: task", "call a", "call call_3_0", "call b"]);
    assert_eq!(told[4..8], ["1 of a", "4 of call_3_0", "2 of b", "User: go on"]);
    assert!(told[9].starts_with(unknown), "{told:?}");
    let mends: Vec<String> = imported.mends.iter().map(Mend::to_string).collect();
    for wanted in [
        "the result z has no call",
        "message 2 is empty",
        "message 3 has the call id a a second time",
        "message 7 is empty",
        "the result of call_3_0 did not follow its answer",
        "the call b had a second result",
        "message 8 has the call id b a second time",
        "had no result, and received one that states this",
    ] {
        assert!(mends.iter().any(|mend| mend.contains(wanted)), "{wanted}: {mends:?}");
    }
}

#[test]
fn imported_system_messages_are_kept_apart() {
    let system = Message::new(Role::System, vec![Part::text("be careful")]);
    let imported = Transcript::import([system, Message::user("task")]);
    assert_eq!(imported.system, ["be careful"]);
    assert_eq!(imported.transcript.messages().len(), 1);
}

// R5: a run that continues from such a conversation is resumed like any other.
#[test]
fn a_run_continues_from_an_imported_conversation() {
    let had = vec![Message::user("first"), Message::assistant(vec![call("a")])];
    let history = Transcript::import(had).transcript;
    let mut machine = Machine::new(config()).with_history(history);
    let effects = machine.step(Input::Start { task: "second".into() }, 0);
    let Some(Command::Send { request, .. }) = effects.last() else { panic!("{effects:?}") };
    assert_eq!(request.messages.len(), 4);
    assert_eq!(request.messages.last().unwrap().text(), "second");
    let record = entries(&effects);
    let (resumed, _) = Machine::resume(config(), record, 0).unwrap();
    assert_eq!(resumed.transcript().messages(), machine.transcript().messages());
}

fn part() -> impl Strategy<Value = Part> {
    let ids = prop::sample::select(vec!["a", "b", "c", "call_1_0"]);
    prop_oneof![
        Just(Part::text("words")),
        ids.clone().prop_map(call),
        ids.prop_map(|call| Part::Result(result(call, "result"))),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let roles = prop::sample::select(vec![Role::System, Role::User, Role::Assistant, Role::Tool]);
    (roles, prop::collection::vec(part(), 0..5)).prop_map(|(role, parts)| Message::new(role, parts))
}

proptest! {
    // The result of any import can be sent, and a second import returns it unchanged.
    #[test]
    fn imported_messages_become_a_valid_conversation(messages in prop::collection::vec(message(), 0..12)) {
        let imported = Transcript::import(messages);
        check_paired(imported.transcript.messages());
        let again = Transcript::import(imported.transcript.messages().iter().cloned());
        prop_assert_eq!(again.mends, Vec::<Mend>::new());
        prop_assert_eq!(again.transcript, imported.transcript);
    }
}
