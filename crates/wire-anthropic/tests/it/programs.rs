//! Programs of the model that call functions.

use serde_json::{Value, json};
use windlass_protocol::{
    Arguments, CallId, CodeExecution, Message, Opaque, ParallelCalls, Part, ProgrammaticCalling, Request,
    ResultStatus, Strictness, ToolCall, ToolChoice, ToolName, ToolResult, ToolSpec,
};
use windlass_stream::Chunk;
use windlass_wire::{DecodedRequest, Framing, ResponseHead, Server, Wire, WireLimits};
use windlass_wire_anthropic::{Anthropic, AnthropicOptions};

fn name(text: &str) -> ToolName {
    ToolName::new(text).unwrap()
}

/// A request with two functions, of which a program can call the first.
fn request(calling: ProgrammaticCalling) -> Request {
    let function = |text| ToolSpec::function(name(text), "", r#"{"type":"object"}"#.parse().unwrap());
    Request::new("claude-opus-4-8", vec![Message::user("roll")])
        .with_tools(vec![function("roll"), function("tell")])
        .with_hosted_tools([calling])
}

fn body_of(options: AnthropicOptions, request: &Request) -> Value {
    serde_json::from_slice(&Anthropic::new(options).encode(request).unwrap().body).unwrap()
}

fn programs() -> ProgrammaticCalling {
    ProgrammaticCalling::new([name("roll")])
}

#[test]
fn a_function_names_its_callers_and_one_tool_runs_programs() {
    let tools = |options, request| -> Vec<Value> {
        let body = body_of(options, &request);
        let tools = body["tools"].as_array().unwrap().iter();
        tools.map(|tool| json!([tool["name"], tool["type"], tool["allowed_callers"]])).collect()
    };
    let code = "code_execution_20260120";
    let expected = |callers: Value| {
        vec![
            json!(["roll", null, callers]),
            json!(["tell", null, null]),
            json!(["code_execution", code, null]),
        ]
    };
    let default = AnthropicOptions::default;
    assert_eq!(tools(default(), request(programs())), expected(json!([code])));
    let both = request(programs().with_direct_calls());
    assert_eq!(tools(default(), both), expected(json!(["direct", code])));
    // The container of programs is offered once, in the version that calls functions.
    let mut twice = request(programs());
    twice.options.hosted_tools.insert(0, CodeExecution::default().into());
    assert_eq!(tools(default(), twice), expected(json!([code])));
    let older = "code_execution_20250825";
    let options = default().with_tool_versions([older.to_owned()]);
    assert_eq!(tools(options, request(programs()))[0], json!(["roll", null, [older]]));
}

#[test]
fn options_that_the_api_does_not_take_beside_programs_are_refused_by_name() {
    let refused = |change: fn(&mut Request), words: &str| {
        let mut request = request(programs());
        change(&mut request);
        let error = Anthropic::default().encode(&request).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert!(!Anthropic::default().check(&request).is_empty());
    };
    refused(
        |request| request.options.tool_choice = ToolChoice::Named(name("roll")),
        "a demanded call of roll, which only programs can call",
    );
    refused(|request| request.options.parallel_calls = ParallelCalls::Forbid, "a limit of one call");
    let strict = |request: &mut Request| {
        let ToolSpec::Function { strict, .. } = &mut request.tools[0] else { return };
        *strict = Strictness::On;
    };
    refused(strict, "a strict schema of roll, which programs can call");
}

const STREAM: &str = concat!(
    r#"data: {"type":"message_start","message":{"content":[],"container":null}}"#,
    "\n\n",
    r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"roll","input":{},"caller":{"type":"code_execution_20260120","tool_id":"srvtoolu_1"}}}"#,
    "\n\n",
    r#"data: {"type":"content_block_stop","index":0}"#,
    "\n\n",
    r#"data: {"type":"message_delta","delta":{"stop_reason":"tool_use","container":{"id":"container_1","expires_at":"later"}}}"#,
    "\n\n",
    r#"data: {"type":"message_stop"}"#,
    "\n\n",
);

fn chunks(body: &str) -> Vec<Chunk> {
    let wire = Anthropic::default();
    let (mut decoder, mut chunks) = (wire.decoder(WireLimits::default()), Vec::new());
    decoder.push(body.as_bytes(), &mut chunks).unwrap();
    decoder.finish(&mut chunks).unwrap();
    chunks
}

fn container(chunks: &[Chunk]) -> Vec<&Value> {
    let kept = chunks.iter().filter_map(|chunk| match chunk {
        Chunk::Unknown(unknown) => unknown.value.get("container"),
        _ => None,
    });
    kept.collect()
}

#[test]
fn the_container_of_an_answer_is_kept_and_reaches_a_client_of_the_gateway() {
    let expected = json!({ "id": "container_1", "expires_at": "later" });
    assert_eq!(container(&chunks(STREAM)), [&expected]);
    for framing in [Framing::Events, Framing::Whole] {
        let wire = Anthropic::default();
        let asked = DecodedRequest::new(request(programs()), framing);
        let mut encoder = wire.encoder(&asked, ResponseHead::new("1", "m", 7));
        let mut bytes = Vec::new();
        for chunk in chunks(STREAM) {
            encoder.push(&chunk, &mut bytes).unwrap();
        }
        encoder.finish(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let again = if framing == Framing::Whole {
            let mut chunks = Vec::new();
            wire.decode_whole(text.as_bytes(), WireLimits::default(), &mut chunks).unwrap();
            chunks
        } else {
            chunks(&text)
        };
        assert_eq!(container(&again), [&expected], "{text}");
    }
}

/// A conversation with a call of a program or of the model, and its result.
fn conversation(caller: Option<&str>) -> Request {
    let kept = chunks(STREAM).into_iter().find_map(|chunk| match chunk {
        Chunk::Unknown(unknown) => Some(Part::Unknown(unknown)),
        _ => None,
    });
    let id = CallId::new("toolu_1").unwrap();
    let caller = caller.map(|id| json!({ "caller": { "type": "code_execution_20260120", "tool_id": id } }));
    let call = ToolCall::function(id.clone(), name("roll"), Arguments::parse("{}").unwrap())
        .with_opaque(caller.map(|fields| Opaque::new("anthropic", fields)));
    let mut request = request(programs());
    request.messages.push(Message::assistant(vec![Part::Call(call), kept.unwrap()]));
    request.messages.push(Message::results([ToolResult::text(id, ResultStatus::Ok, "4")]));
    request
}

#[test]
fn results_of_a_program_name_its_container() {
    let waiting = conversation(Some("srvtoolu_1"));
    let body = body_of(AnthropicOptions::default(), &waiting);
    assert_eq!(body["container"], "container_1");
    assert_eq!(body["messages"][1]["content"][0]["caller"]["tool_id"], "srvtoolu_1");
    assert_eq!(body["messages"][1]["content"].as_array().unwrap().len(), 1);
    let direct = body_of(AnthropicOptions::default(), &conversation(None));
    assert_eq!(direct["container"], Value::Null);
    let mut later = conversation(Some("srvtoolu_1"));
    later.messages.push(Message::assistant(vec![Part::text("Four.")]));
    later.messages.push(Message::user("again"));
    assert_eq!(body_of(AnthropicOptions::default(), &later)["container"], Value::Null);
}
