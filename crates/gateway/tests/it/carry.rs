//! The gateway leaves out and names the parts that another format cannot express.

use serde_json::json;
use windlass_gateway::carry;
use windlass_protocol::{
    CallId, File, HostedTool, Message, OutputFormat, ParallelCalls, Part, Payload, PromptCache, Request,
    RequestOptions, ResultStatus, Role, ToolCall, ToolChoice, ToolName, ToolResult, ToolSpec, Unknown,
};

use crate::formats::format;

fn name(text: &str) -> ToolName {
    ToolName::new(text).unwrap()
}

fn request() -> Request {
    // A gateway adds no cache markers of its own.
    let options = RequestOptions::default().with_prompt_cache(PromptCache::Off);
    Request::new("m", vec![Message::user("hi")]).with_options(options)
}

#[track_caller]
fn check(request: &Request, to: &str, lost: &[&str]) -> Request {
    let same =
        carry(request.clone(), format("openai-chat").server.as_ref(), format("openai-chat").wire.as_ref());
    assert_eq!((same.request, same.lost.len(), same.refused), (request.clone(), 0, None));
    let carried = carry(request.clone(), format("openai-chat").server.as_ref(), format(to).wire.as_ref());
    assert_eq!(carried.lost, lost);
    carried.request
}

#[test]
fn fields_and_parts_of_one_format_stay_behind() {
    let mut asked = request();
    asked.options.extra.insert("seed".into(), json!(1));
    asked.options.extra.insert("logprobs".into(), json!(true));
    asked.options.hosted_tools = vec![HostedTool::native("openai-chat", json!({"type": "web_search"}))];
    asked.options.tool_choice = ToolChoice::Named(name("web_search"));
    let odd = Part::Unknown(Unknown::new("openai-chat", json!({"type": "input_audio"})));
    asked.messages.push(Message::new(Role::User, vec![odd.clone(), Part::text("listen")]));
    asked.messages.push(Message::new(Role::User, vec![odd]));
    let lost =
        ["hosted tool web_search", "logprobs", "part input_audio", "seed", "tool choice of a hosted tool"];
    let carried = check(&asked, "anthropic", &lost);
    assert_eq!(refusal(&asked, "anthropic"), Some("logprobs is not available for this model".to_owned()));
    assert_eq!(carried.messages.len(), 2, "a message of nothing is none");
    assert_eq!(carried.options.tool_choice, ToolChoice::Auto);
}

#[test]
fn freeform_tools_become_functions_in_formats_without_them() {
    let mut asked = request();
    asked.tools = vec![ToolSpec::Freeform { name: name("patch"), description: "P.".into(), grammar: None }];
    let id = CallId::new("c1").unwrap();
    let call = ToolCall::new(id.clone(), name("patch"), Payload::Custom { input: "*** x".into() });
    asked.messages.push(Message::assistant(vec![Part::Call(call)]));
    asked.messages.push(Message::results([ToolResult::text(id, ResultStatus::Ok, "done")]));
    let carried = check(&asked, "gemini", &[]);
    assert!(matches!(carried.tools[0], ToolSpec::Function { .. }));
    let call = carried.messages[1].calls().next().unwrap();
    assert_eq!(call.payload.text(), r#"{"input":"*** x"}"#);
    assert_eq!(check(&asked, "openai-responses", &[]), asked);
}

fn refusal(request: &Request, to: &str) -> Option<String> {
    carry(request.clone(), format("openai-chat").server.as_ref(), format(to).wire.as_ref()).refused
}

#[test]
fn a_request_for_a_tool_of_another_provider_is_refused() {
    let mut asked = request();
    asked.options.hosted_tools = vec![HostedTool::native("openai-chat", json!({"type": "web_search"}))];
    let refused = Some("the tool web_search runs at another provider and is not available for this model");
    assert_eq!(refusal(&asked, "anthropic").as_deref(), refused);
    // A hosted tool is left out: an agent that offers it beside its own tools works without it.
    asked.tools = vec![ToolSpec::Freeform { name: name("patch"), description: "P.".into(), grammar: None }];
    check(&asked, "anthropic", &["hosted tool web_search"]);
    assert_eq!(refusal(&asked, "anthropic"), None);
    asked.options.tool_choice = ToolChoice::Named(name("web_search"));
    assert_eq!(refusal(&asked, "anthropic").as_deref(), refused);
}

#[test]
fn stop_sequences_stay_at_the_gateway_where_the_format_has_none() {
    let mut asked = request();
    asked.options.stop_sequences = vec!["END".into()];
    let carried =
        carry(asked.clone(), format("openai-chat").server.as_ref(), format("openai-responses").wire.as_ref());
    assert_eq!((carried.stop_sequences, carried.lost.len()), (vec!["END".to_owned()], 0));
    assert!(carried.request.options.stop_sequences.is_empty());
    assert_eq!(check(&asked, "anthropic", &[]), asked);
}

#[test]
fn switches_that_a_format_has_not_are_kept_by_the_gateway() {
    let mut asked = request();
    asked.options.parallel_calls = ParallelCalls::Forbid;
    asked.output = OutputFormat::Json;
    let converted =
        carry(asked.clone(), format("openai-chat").server.as_ref(), format("gemini").wire.as_ref());
    assert!(converted.is_single_call);
    let carried = check(&asked, "gemini", &[]);
    assert_eq!(
        (carried.options.parallel_calls, carried.output),
        (ParallelCalls::ProviderDefault, OutputFormat::Json)
    );
    let carried = check(&asked, "anthropic", &[]);
    assert!(carried.system.is_some_and(|system| system.contains("one JSON object")));
    assert_eq!((carried.options.parallel_calls, carried.output), (ParallelCalls::Forbid, OutputFormat::Text));
}

#[test]
fn a_document_of_another_provider_is_refused() {
    let mut asked = request();
    asked.messages[0].parts.push(Part::File(File::from_upload("application/pdf", "file-1")));
    let carried = carry(asked, format("openai-chat").server.as_ref(), format("anthropic").wire.as_ref());
    assert_eq!(
        carried.refused.unwrap(),
        "the file file-1 is stored at another provider; send its bytes \
         instead"
    );
}
