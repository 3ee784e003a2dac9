//! Requests that every wire format must encode alike, or refuse.

use windlass_protocol::{
    Arguments, CallId, Content, Image, Message, Part, Request, ResultStatus, Role, ToolCall, ToolChoice,
    ToolName, ToolResult, ToolSpec,
};
use windlass_wire::Wire;

/// Creates a call.
///
/// # Panics
/// The id, the name or the arguments are not valid.
pub fn call(id: &str, name: &str, arguments: &str) -> Part {
    let (id, name) = (CallId::new(id).expect("a valid id"), ToolName::new(name).expect("a valid name"));
    Part::Call(ToolCall::function(id, name, Arguments::parse(arguments).expect("an object")))
}

/// Creates a successful result of a call.
///
/// # Panics
/// The id is not valid.
pub fn result(id: &str, text: &str) -> ToolResult {
    ToolResult::text(CallId::new(id).expect("a valid id"), ResultStatus::Ok, text)
}

/// Creates a tool whose parameters have the names `z` and `a`, in this order.
///
/// # Panics
/// The name is not valid.
pub fn tool(name: &str) -> ToolSpec {
    let parameters = r#"{"type":"object","properties":{"z":{},"a":{}}}"#.parse().expect("it is JSON");
    ToolSpec::function(ToolName::new(name).expect("a valid name"), "Does it.", parameters)
}

/// Returns the body of a request as text.
///
/// # Panics
/// The format refuses the request.
#[track_caller]
pub fn body(wire: &dyn Wire, request: &Request) -> String {
    let http = wire.encode(request).expect("the format can encode the request");
    String::from_utf8(http.body.into()).expect("a body is UTF-8")
}

/// Checks that a format refuses a request with an error that contains a text.
///
/// # Panics
/// If the format encodes the request, or the error has another text.
#[track_caller]
pub fn check_error(wire: &dyn Wire, request: &Request, words: &str) {
    let error = wire.encode(request).expect_err("the format cannot encode the request");
    assert!(error.to_string().contains(words), "{error}");
}

/// Returns the turns of a conversation: text, two calls at once, a result with an image, and a call whose id and
/// name no provider would choose.
pub fn turns([first, second, odd]: [&str; 3]) -> Vec<Vec<Message>> {
    let mut image = result(second, "two");
    image.content.push(Content::Image(Image::base64("image/png", "aGk=")));
    let calls = vec![Part::text("I look."), call(first, "read", r#"{"x": 1}"#), call(second, "read", "{}")];
    vec![
        vec![Message::user("read both")],
        vec![Message::assistant(calls), Message::results([result(first, "one"), image])],
        vec![Message::assistant(vec![Part::text("Both read.")]), Message::user("thanks")],
        vec![Message::assistant(vec![call(odd, "odd name", "{}")]), Message::results([result(odd, "no")])],
    ]
}

/// Checks that the bytes of each turn begin with those of the turn before (RULES N6), for a model with this name.
///
/// # Panics
/// A turn changes earlier bytes, or equal requests have different bytes.
#[track_caller]
pub fn check_turns(wire: &dyn Wire, model: &str, turns: Vec<Vec<Message>>) {
    let mut request = Request::new(model, Vec::new()).with_system("Be brief.").with_tools(vec![tool("read")]);
    let mut before = String::new();
    for turn in turns {
        request.messages.extend(turn);
        let now = body(wire, &request);
        let open = before.strip_suffix("]}").unwrap_or_default();
        assert!(now.starts_with(open), "{now}\ndoes not begin with\n{open}");
        assert_eq!(now, body(wire, &request.clone()), "the same request, the same bytes");
        before = now;
    }
}

/// Checks that a conversation with unpaired calls is refused (RULES R1).
///
/// # Panics
/// The format encodes such a conversation.
#[track_caller]
pub fn check_pairing(wire: &dyn Wire) {
    let asked = || Message::assistant(vec![call("a", "read", "{}")]);
    let check = |messages, words| check_error(wire, &Request::new("m", messages), words);
    check(vec![asked()], "the call a has no result");
    check(vec![asked(), Message::user("and?")], "the call a has no result");
    check(vec![Message::results([result("a", "x")])], "no call waits");
    check(vec![asked(), Message::results([result("a", "x"), result("a", "y")])], "no call waits");
    let twice = Message::assistant(vec![call("a", "read", "{}"), call("a", "read", "{}")]);
    check(vec![twice], "two calls with the id a");
    check(vec![Message::new(Role::User, vec![call("a", "read", "{}")])], "not the assistant's");
}

/// Checks that a request which no provider accepts is refused with the name of the problem.
///
/// # Panics
/// The format encodes such a request.
#[track_caller]
pub fn check_refusals(wire: &dyn Wire) {
    let request = || Request::new("m", vec![Message::user("hi")]);
    let check = |request: Request, words| check_error(wire, &request, words);
    check(request().with_tools(vec![tool("read file")]), "read file");
    check(request().with_tool_choice(ToolChoice::Required), "without tools");
    let named = ToolChoice::Named(ToolName::new("write").expect("a valid name"));
    check(request().with_tools(vec![tool("read")]).with_tool_choice(named), "write");
    check(Request::new("m", vec![Message::user("")]), "message 0");
}
