//! Kinds of payload: errors that are returned to the model, and errors that only the program can cause.

use std::sync::Arc;

use windlass_protocol::{Arguments, CallId, Effect, Payload, ResultStatus, ToolCall, ToolName, ToolSpec};
use windlass_tool::{Context, Output, ToolError};
use windlass_toolbox::{CallbackTool, Identity, PayloadKind, Preset, ToolConfig, Toolbox, WrongPayload};

fn tool(spec: ToolSpec) -> Arc<CallbackTool> {
    let tool = CallbackTool::new(spec, |_, payload| async move { Ok(Output::text(payload.text())) });
    Arc::new(tool.with_effects(|_| vec![Effect::Internal]))
}

fn name(name: &str) -> ToolName {
    ToolName::new(name).unwrap()
}

fn function(named: &str, schema: &str) -> Arc<CallbackTool> {
    tool(ToolSpec::function(name(named), "A tool.", schema.parse().unwrap()))
}

const SHELL: &str = r#"{"type":"object","properties":{"argv":{"type":"array","items":{"type":"string"}},
    "cwd":{"type":"string"},"timeout_ms":{"type":"integer","maximum":1000}},"additionalProperties":false}"#;

fn toolbox() -> Toolbox {
    let patch = ToolSpec::Freeform { name: name("patch"), description: "Patches.".into(), grammar: None };
    let mcp = Identity::mcp("files", "read");
    let mcp_spec = ToolSpec::function(mcp.name().clone(), "Reads.", r#"{"type":"object"}"#.parse().unwrap());
    Toolbox::builder()
        .tool(function("run_command", SHELL))
        .tool(function("look", r#"{"type":"object"}"#))
        .tool(tool(patch))
        .tool_as(mcp, tool(mcp_spec))
        .config(ToolConfig::new(Preset::Full))
        .with_known_aliases()
        .build()
        .unwrap()
}

fn of(named: &str, payload: Payload) -> ToolCall {
    ToolCall::new(CallId::new("call_1").unwrap(), name(named), payload)
}

fn arguments(text: &str) -> Arguments {
    Arguments::parse(text).unwrap()
}

fn shell(timeout_ms: Option<u64>) -> Payload {
    Payload::LocalShell {
        command: vec!["ls".into(), "-l".into()],
        working_directory: Some("src".into()),
        timeout_ms,
    }
}

fn mcp(server: &str, tool: &str) -> Payload {
    Payload::Mcp { server: server.into(), tool: tool.into(), arguments: Arguments::default() }
}

#[test]
fn a_calls_payload_is_converted_to_the_form_of_its_tool() {
    let toolbox = toolbox();
    let check = |named: &str, payload: Payload, expected: Payload| {
        let call = of(named, payload);
        toolbox.route(&call).unwrap();
        let checked = toolbox.check(&call).map_err(|result| result.wire_text()).ok().unwrap();
        assert_eq!(checked.call.payload, expected, "{named}");
        assert_eq!(checked.facts.payload, expected, "policy decides about what runs");
    };
    let function = |text: &str| Payload::Function { arguments: arguments(text) };
    let custom = |input: &str| Payload::Custom { input: input.into() };
    check("look", function("{}"), function("{}"));
    check("patch", custom("*"), custom("*"));
    check("patch", function(r#"{"input":"*"}"#), custom("*"));
    check("patch", function(r#"{"anything":"*"}"#), custom("*"));
    check("mcp__files__read", mcp("files", "read"), mcp("files", "read"));
    check("mcp__files__read", function("{}"), function("{}"));
    check("local_shell", shell(None), function(r#"{"argv":["ls","-l"],"cwd":"src"}"#));
    check("run_command", shell(Some(7)), function(r#"{"argv":["ls","-l"],"cwd":"src","timeout_ms":7}"#));
}

// No input of a model, or of a faulty provider, ends a run.
#[test]
fn a_kind_that_a_model_can_choose_goes_back_to_it() {
    let toolbox = toolbox();
    let custom = || Payload::Custom { input: "x".into() };
    for (named, payload, told) in [
        ("look", custom(), "takes JSON arguments"),
        ("mcp__files__read", custom(), "takes JSON arguments"),
        ("patch", Payload::Function { arguments: arguments(r#"{"a":1,"b":2}"#) }, "takes free text"),
        ("mcp__files__read", mcp("other", "read"), "this tool does not exist"),
        ("look", mcp("files", "read"), "this tool does not exist"),
        ("patch", mcp("files", "read"), "this tool does not exist"),
        ("LOOK", shell(None), "unknown tool LOOK"),
        ("mcp__files__read", shell(None), "does not run commands"),
        ("run_command", shell(Some(5_000)), "/timeout_ms"),
        ("nothing", shell(None), "unknown tool nothing"),
    ] {
        let call = of(named, payload);
        toolbox.route(&call).unwrap();
        let result = toolbox.check(&call).err().unwrap();
        assert!(result.wire_text().contains(told), "{named}: {}", result.wire_text());
    }
}

// The provider's shell has one name, and only a program gives it to a tool.
#[test]
fn the_shells_name_on_a_tool_that_takes_no_command_is_fatal() {
    let builder =
        Toolbox::builder().tool(function("look", r#"{"type":"object"}"#)).alias("local_shell", "look");
    let toolbox = builder.config(ToolConfig::new(Preset::Full)).build().unwrap();
    let call = of("local_shell", shell(None));
    let misrouted = toolbox.route(&call).unwrap_err();
    assert_eq!((misrouted.tool.as_str(), misrouted.kind), ("look", PayloadKind::LocalShell));
    // A caller that does not check passes it to the model, and it never runs.
    assert_eq!(toolbox.check(&call).err().unwrap().status, ResultStatus::Error);
}

#[tokio::test]
async fn a_payload_that_was_exchanged_after_the_check_is_fatal() {
    let toolbox = toolbox();
    for (named, payload) in [
        ("look", Payload::Custom { input: "x".into() }),
        ("look", mcp("files", "read")),
        ("run_command", shell(None)),
    ] {
        let mut checked =
            toolbox.check(&of(named, Payload::Function { arguments: arguments("{}") })).ok().unwrap();
        checked.call.payload = payload;
        let ended = toolbox.run(&checked, &Context::new(checked.call.id.clone())).await;
        let Err(ToolError::Fatal(source)) = ended else { unreachable!("{ended:?}") };
        assert!(source.downcast_ref::<WrongPayload>().is_some());
    }
}
