//! Messages that every provider refuses are found before a request is sent.

use windlass_protocol::{
    Arguments, CallId, Message, Part, RefusalKind, Request, ResultStatus, Role, ToolCall, ToolChoice,
    ToolName, ToolResult, ToolSpec,
};
use windlass_wire::check_conversation;

fn call(id: &str) -> Part {
    let name = ToolName::new("list").unwrap();
    Part::Call(ToolCall::function(CallId::new(id).unwrap(), name, Arguments::default()))
}

fn result(id: &str) -> Part {
    Part::Result(ToolResult::text(CallId::new(id).unwrap(), ResultStatus::Ok, "done"))
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec::function(ToolName::new(name).unwrap(), "Lists.", r#"{"type":"object"}"#.parse().unwrap())
}

fn hi() -> Message {
    Message::user("hi")
}

#[track_caller]
fn check_request(request: &Request, expected: &[(RefusalKind, &str)]) {
    let found = check_conversation(request);
    let found: Vec<_> = found.iter().map(|refusal| (refusal.kind, refusal.place.as_str())).collect();
    assert_eq!(found, expected);
}

#[track_caller]
fn check(messages: Vec<Message>, expected: &[(RefusalKind, &str)]) {
    check_request(&Request::new("m", messages), expected);
}

fn says(parts: Vec<Part>) -> Message {
    Message::assistant(parts)
}

fn answers(parts: Vec<Part>) -> Message {
    Message::new(Role::Tool, parts)
}

// R1
#[test]
fn every_call_has_one_result_and_every_result_a_call() {
    check(vec![hi(), says(vec![call("a"), call("b")]), answers(vec![result("a"), result("b")])], &[]);
    check(
        vec![hi(), says(vec![call("a"), call("b")]), answers(vec![result("b")]), answers(vec![result("a")])],
        &[],
    );
    check(vec![hi(), says(vec![call("a")])], &[(RefusalKind::Pairing, "messages[2]")]);
    check(vec![says(vec![call("a")]), hi()], &[(RefusalKind::Pairing, "messages[1]")]);
    check(vec![hi(), answers(vec![result("a")])], &[(RefusalKind::Pairing, "messages[1].parts[0]")]);
    check(
        vec![hi(), says(vec![call("a")]), answers(vec![result("a"), result("a")])],
        &[(RefusalKind::Pairing, "messages[2].parts[1]")],
    );
}

// P1
#[test]
fn an_id_names_one_call() {
    let round = || [says(vec![call("a")]), answers(vec![result("a")])];
    let twice = [hi()].into_iter().chain(round()).chain(round()).collect();
    check(twice, &[(RefusalKind::Id, "messages[3].parts[0]")]);
}

#[test]
fn calls_and_results_need_their_role() {
    check(vec![Message::new(Role::User, vec![call("a")])], &[(RefusalKind::Order, "messages[0].parts[0]")]);
    check(vec![Message::new(Role::User, vec![result("a")])], &[(RefusalKind::Order, "messages[0].parts[0]")]);
    check(
        vec![says(vec![call("a")]), answers(vec![result("a"), Part::text("and")])],
        &[(RefusalKind::Order, "messages[1].parts[1]")],
    );
}

#[test]
fn empty_messages_are_refused() {
    check(Vec::new(), &[(RefusalKind::Empty, "messages")]);
    check(vec![hi(), says(Vec::new())], &[(RefusalKind::Empty, "messages[1]")]);
}

// N7
#[test]
fn tools_have_names_of_their_own_and_a_demanded_tool_is_there() {
    let request = |tools, choice| Request::new("m", vec![hi()]).with_tools(tools).with_tool_choice(choice);
    let named = |name| ToolChoice::Named(ToolName::new(name).unwrap());
    check_request(&request(vec![tool("a"), tool("b")], named("b")), &[]);
    check_request(
        &request(vec![tool("a"), tool("a")], ToolChoice::Auto),
        &[(RefusalKind::Name, "tools[1].name")],
    );
    check_request(&request(vec![tool("a")], named("b")), &[(RefusalKind::Parameter, "tool_choice")]);
    check_request(&request(Vec::new(), ToolChoice::Required), &[(RefusalKind::Parameter, "tool_choice")]);
}
