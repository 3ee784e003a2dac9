//! Tools' schemas go out in the vendor's dialect, and arguments come back in their author's form (N5).

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use serde_json::{Value, json};
use windlass_assemble::{Answer, AssembleOptions, Assembler};
use windlass_client::{Client, ClientEvent, Endpoint};
use windlass_mock::{Script, ScriptedProvider};
use windlass_protocol::{Message, Request, Strictness, ToolName, ToolSpec};
use windlass_schema::{CompileOptions, Dialect, RootUnion};
use windlass_stream::Model;
use windlass_wire::Wire;
use windlass_wire_anthropic::Anthropic;
use windlass_wire_openai_chat::OpenAiChat;

fn tool(schema: &str, strict: Strictness) -> ToolSpec {
    ToolSpec::function(ToolName::new("look").unwrap(), "Looks.", schema.parse().unwrap()).with_strict(strict)
}

/// The sent schema, the returned value, and the reported losses.
async fn asked(wire: Arc<dyn Wire>, tool: ToolSpec, arguments: &Value) -> (Value, Answer, Vec<String>) {
    let script =
        json!({"turns": [{"steps": [{"call": {"name": "look", "arguments": arguments}}], "piece": 3}]});
    let provider = ScriptedProvider::start(Script::parse(&script.to_string()).unwrap(), 0).await.unwrap();
    let losses: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = losses.clone();
    let client = Client::builder(Endpoint::custom(provider.base_url(), wire.name()), wire)
        .on_event(move |event| {
            if let ClientEvent::SchemaLoss { tool, losses } = event {
                told.lock().unwrap().extend(losses.iter().map(|loss| format!("{tool}: {loss}")));
            }
        })
        .build()
        .unwrap();
    let request = Request::new("m", vec![Message::user("look")]).with_tools(vec![tool]);
    assert_eq!(client.check(&request), []);
    let mut chunks = client.stream(&request).await.unwrap();
    let (mut assembler, mut events) = (Assembler::new(AssembleOptions::default()), Vec::new());
    while let Some(chunk) = chunks.next().await {
        assembler.push(chunk.unwrap(), &mut events);
    }
    let body = provider.requests()[0].body.clone();
    provider.shutdown().await;
    let losses = losses.lock().unwrap().clone();
    (body, assembler.finish(&mut events), losses)
}

fn arguments(answer: &Answer) -> Vec<String> {
    answer.good_calls().map(|call| call.payload.text()).collect()
}

#[tokio::test]
async fn unusual_types_are_sent_with_their_meaning() {
    let odd = r#"{"type":"dict","properties":{"n":{"type":"float"}},"required":["n"]}"#;
    let sent = json!({"n": 1.5});
    let (body, answer, losses) =
        asked(Arc::new(OpenAiChat::default()), tool(odd, Strictness::Unsaid), &sent).await;
    let parameters = &body["tools"][0]["function"]["parameters"];
    assert_eq!(
        *parameters,
        json!({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]})
    );
    assert_eq!((arguments(&answer), losses), (vec![r#"{"n":1.5}"#.to_owned()], Vec::new()));
}

#[tokio::test]
async fn a_strict_tool_goes_out_in_the_strict_dialect() {
    let schema =
        r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}"#;
    let sent = json!({"a": "x", "b": null});
    let (body, ..) = asked(Arc::new(OpenAiChat::default()), tool(schema, Strictness::On), &sent).await;
    let function = &body["tools"][0]["function"];
    assert_eq!(function["strict"], true);
    assert_eq!(function["parameters"]["required"], json!(["a", "b"]));
    assert_eq!(function["parameters"]["additionalProperties"], false);
}

// A name that the provider does not take comes back as the author's, in pieces or not.
#[tokio::test]
async fn renamed_properties_are_restored_in_arguments() {
    let schema = r#"{"type":"object","properties":{"the path":{"type":"string"}},"required":["the path"]}"#;
    let shown = Dialect::Anthropic.compile(&schema.parse().unwrap());
    assert!(shown.has_restoration(), "{}", shown.schema.as_str());
    let value = shown.schema.to_value();
    let name = value["properties"].as_object().unwrap().keys().next().unwrap().clone();
    assert_ne!(name, "the path");
    let (body, answer, _) =
        asked(Arc::new(Anthropic::default()), tool(schema, Strictness::Unsaid), &json!({ name: "a b" }))
            .await;
    assert_eq!(body["tools"][0]["input_schema"], value);
    assert_eq!(arguments(&answer), [r#"{"the path":"a b"}"#]);
}

#[tokio::test]
async fn losses_are_reported_once_for_each_schema() {
    let schema = r#"{"anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}"#;
    let tool = tool(schema, Strictness::Unsaid);
    // The request is checked before it is sent, and both show it in the dialect.
    let (body, answer, losses) = asked(Arc::new(Anthropic::default()), tool, &json!({"a": "x"})).await;
    let options = CompileOptions::default().with_root_union(RootUnion::Merge);
    let compiled = Dialect::Anthropic.compile_with(&schema.parse().unwrap(), options);
    assert!(!compiled.losses.is_empty());
    assert_eq!(losses.len(), compiled.losses.len());
    assert_eq!(body["tools"][0]["input_schema"], compiled.schema.to_value());
    // The arguments are not wrapped in one property, so they can be shown and decided while they arrive.
    assert_eq!(arguments(&answer), [r#"{"a":"x"}"#]);
}
