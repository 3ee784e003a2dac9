//! Every way in which the scripted provider misbehaves, in every format, streamed and whole: a typed error or a right
//! answer, never half a call, never longer than the timers (issue 4, "Must be shown" 5).

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use windlass_assemble::{Answer, AssembleOptions, Assembler, Ending};
use windlass_client::{Client, Endpoint, Options};
use windlass_mock::{Script, ScriptedProvider};
use windlass_protocol::{Delivery, Message, Request, ToolName, ToolSpec};
use windlass_stream::{Model, ModelError};
use windlass_wire::Wire;
use windlass_wire_anthropic::Anthropic;
use windlass_wire_gemini::Gemini;
use windlass_wire_openai_chat::OpenAiChat;
use windlass_wire_openai_responses::OpenAiResponses;

/// The required outcome of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    /// The whole answer with its call.
    Right,
    /// An error, or an answer that is marked as incomplete.
    Wrong,
}

/// A switch, and its outcome for a streamed and for a whole answer.
const SWITCHES: &[(&str, Came, Came)] = &[
    (r#"{"switch": "one_byte"}"#, Came::Right, Came::Right),
    (r#"{"switch": "cut", "after_bytes": 1}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "cut", "after_bytes": 60}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "cut", "after_bytes": 250}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "stall", "after_bytes": 1}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "stall", "after_bytes": 120}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "status", "status": 400}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "status", "status": 401}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "status", "status": 429}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "status", "status": 503}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "error_mid_stream", "after_bytes": 120}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "html"}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "html", "status": 502}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "empty"}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "not_json"}"#, Came::Wrong, Came::Wrong),
    (r#"{"switch": "refuse_parameter", "parameter": "tools"}"#, Came::Wrong, Came::Wrong),
];

async fn answered(wire: Arc<dyn Wire>, switch: &str, delivery: Delivery) -> Result<Answer, ModelError> {
    let script = format!(
        r#"{{"turns": [{{"steps": [{{"text": "I look at it, and then I say what is there."}},
            {{"call": {{"name": "read", "arguments": {{"path": "src/a/long/path/to/a.txt"}}}}}}],
            "piece": 4, "hostile": {switch}}}]}}"#
    );
    let provider = ScriptedProvider::start(Script::parse(&script).unwrap(), 0).await.unwrap();
    let options = Options {
        retries: 1,
        backoff: Duration::from_millis(1),
        idle_timeout: Duration::from_millis(400),
        total_timeout: Duration::from_secs(2),
        ..Options::default()
    };
    let client =
        Client::new(Endpoint::custom(provider.base_url(), wire.name()), None, wire, options).unwrap();
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
    let tool = ToolSpec::function(ToolName::new("read").unwrap(), "Reads.", schema.parse().unwrap());
    let request =
        Request::new("m", vec![Message::user("look")]).with_tools(vec![tool]).with_delivery(delivery);
    let mut chunks = client.stream(&request).await?;
    let (mut assembler, mut events) = (Assembler::new(AssembleOptions::default()), Vec::new());
    while let Some(chunk) = chunks.next().await {
        assembler.push(chunk?, &mut events);
    }
    provider.shutdown().await;
    Ok(assembler.finish(&mut events))
}

#[tokio::test]
async fn every_switch_ends_in_an_error_or_a_right_answer_in_time() {
    let wires: [Arc<dyn Wire>; 4] = [
        Arc::new(OpenAiChat::default()),
        Arc::new(OpenAiResponses::default()),
        Arc::new(Anthropic::default()),
        Arc::new(Gemini::default()),
    ];
    for wire in wires {
        for (switch, streamed, whole) in SWITCHES {
            for (delivery, wanted) in [(Delivery::Stream, streamed), (Delivery::Whole, whole)] {
                let place = format!("{switch}, {} as {delivery:?}", wire.name());
                // The timers are the client's own; this one is for a client that has none.
                let waited = Duration::from_secs(20);
                let answer = tokio::time::timeout(waited, answered(wire.clone(), switch, delivery)).await;
                let answer = answer.unwrap_or_else(|_| panic!("{place}: it hangs"));
                let came = match &answer {
                    Err(_) => Came::Wrong,
                    Ok(answer) if answer.error.is_some() || answer.ending != Ending::Complete => Came::Wrong,
                    Ok(_) => Came::Right,
                };
                assert_eq!(came, *wanted, "{place}: {answer:?}");
                for call in answer.iter().flat_map(Answer::good_calls) {
                    let arguments: serde_json::Value = serde_json::from_str(&call.payload.text()).unwrap();
                    assert_eq!(arguments, serde_json::json!({"path": "src/a/long/path/to/a.txt"}), "{place}");
                }
                if came == Came::Right {
                    assert_eq!(answer.unwrap().good_calls().count(), 1, "{place}");
                }
            }
        }
    }
}
