//! The four wire formats against the scripted provider: its faults never become a complete call.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use windlass_assemble::{AssembleOptions, Assembler, Ending};
use windlass_client::{Client, Endpoint, Options};
use windlass_mock::{Script, ScriptedProvider};
use windlass_protocol::{Delivery, Message, Request};
use windlass_stream::ModelErrorKind;
use windlass_wire::Wire;
use windlass_wire_anthropic::Anthropic;
use windlass_wire_gemini::Gemini;
use windlass_wire_openai_chat::OpenAiChat;
use windlass_wire_openai_responses::OpenAiResponses;

use crate::server::{KEY, ask, quick, text, words};

fn wires() -> [Arc<dyn Wire>; 4] {
    [
        Arc::new(OpenAiChat::default()),
        Arc::new(OpenAiResponses::default()),
        Arc::new(Anthropic::default()),
        Arc::new(Gemini::default()),
    ]
}

/// The outcome of one request.
#[derive(Debug)]
struct Asked {
    text: String,
    calls: Vec<String>,
    ending: Ending,
    error: Option<(ModelErrorKind, String)>,
    requests: usize,
}

/// Sends one request for a text and a call to a provider with a fault.
fn asked(wire: &Arc<dyn Wire>, hostile: &Value, delivery: Delivery, options: Options) -> Asked {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut turn = json!({"piece": 3, "steps": [
            {"text": "I look."}, {"call": {"name": "read_file", "arguments": {"path": "a.txt"}}},
        ]});
        if !hostile.is_null() {
            turn["hostile"] = hostile.clone();
        }
        let script = Script::parse(&json!({ "turns": [turn] }).to_string()).unwrap();
        let provider = ScriptedProvider::start(script, 0).await.unwrap();
        let endpoint = Endpoint::custom(format!("{}/v1", provider.base_url()), wire.name());
        let client = Client::new(endpoint, Some(KEY.into()), Arc::clone(wire), options).unwrap();
        let mut request = Request::new("scripted-1", vec![Message::user("go")])
            .with_max_output_tokens(100)
            .with_delivery(delivery);
        request.options.temperature = Some(0.5);
        let (chunks, error) = ask(&client, &request).await;
        let text = text(&chunks);
        let (mut assembler, mut events) = (Assembler::new(AssembleOptions::default()), Vec::new());
        for chunk in chunks {
            assembler.push(chunk, &mut events);
        }
        let answer = assembler.finish(&mut events);
        let requests = provider.requests().len();
        provider.shutdown().await;
        assert!(!error.as_ref().map(words).unwrap_or_default().contains(KEY));
        let calls = answer.good_calls().map(|call| call.payload.text()).collect();
        let error = error.map(|error| (error.kind, error.message));
        Asked { text, calls, ending: answer.ending, error, requests }
    })
}

/// Checks a fault that the client recovers from, in every format.
#[track_caller]
fn check_good(hostile: &Value, delivery: Delivery, requests: usize) {
    for wire in wires() {
        let asked = asked(&wire, hostile, delivery, quick());
        assert_eq!(asked.error, None, "{}", wire.name());
        assert_eq!((asked.text.as_str(), asked.requests), ("I look.", requests), "{}", wire.name());
        assert_eq!(asked.calls, [r#"{"path":"a.txt"}"#], "{}", wire.name());
        assert_eq!(asked.ending, Ending::Complete, "{}", wire.name());
    }
}

/// Checks a failure in every format: its kind, a word of its message, and the number of requests.
#[track_caller]
fn check_bad(hostile: &Value, kind: ModelErrorKind, said: &str, requests: usize) {
    check_bad_in(&wires(), Delivery::Stream, hostile, (kind, said, requests));
}

#[track_caller]
fn check_bad_in(
    wires: &[Arc<dyn Wire>],
    delivery: Delivery,
    hostile: &Value,
    (kind, said, requests): (ModelErrorKind, &str, usize),
) {
    let options = Options { idle_timeout: Duration::from_millis(150), ..quick() };
    for wire in wires {
        let asked = asked(wire, hostile, delivery, options);
        let (got, message) = asked.error.as_ref().unwrap();
        assert_eq!((*got, asked.requests), (kind, requests), "{}: {message}", wire.name());
        assert!(message.contains(said), "{said} is not in {message}");
        assert_ne!(asked.ending, Ending::Complete, "{asked:?}");
    }
}

#[test]
fn an_answer_is_complete_with_any_delivery() {
    check_good(&Value::Null, Delivery::Stream, 1);
    check_good(&Value::Null, Delivery::Whole, 1);
    check_good(&json!({"switch": "one_byte"}), Delivery::Stream, 1);
}

// L9
#[test]
fn transient_refusals_are_retried() {
    for status in [429, 500, 503, 529] {
        let hostile = json!({"switch": "status", "status": status, "retry_after": 0, "times": 1});
        check_good(&hostile, Delivery::Stream, 2);
        check_good(&hostile, Delivery::Whole, 2);
    }
    check_good(&json!({"switch": "status", "status": 500, "times": 4}), Delivery::Stream, 5);
}

// L9
#[test]
fn a_permanent_refusal_ends_the_attempts() {
    let status = |status: u16| json!({"switch": "status", "status": status});
    check_bad(&status(500), ModelErrorKind::Server, "after 5 attempts", 5);
    check_bad(&status(429), ModelErrorKind::RateLimit, "after 5 attempts", 5);
    check_bad(&status(400), ModelErrorKind::Refused, "status 400", 1);
    check_bad(&status(401), ModelErrorKind::Configuration, "the key was not accepted", 1);
    check_bad(&status(404), ModelErrorKind::Configuration, "model's name", 1);
}

// S10
#[test]
fn an_interrupted_stream_finishes_no_call() {
    for after_bytes in [1, 90, 400, 700, 1000] {
        // Gemini's complete answer is shorter than 400 bytes, so the fault would come after its end.
        let wires: Vec<_> =
            wires().into_iter().filter(|wire| wire.name() != "gemini" || after_bytes < 400).collect();
        let hostile = |switch: &str| json!({"switch": switch, "after_bytes": after_bytes});
        let stream = Delivery::Stream;
        check_bad_in(&wires, stream, &hostile("stall"), (ModelErrorKind::Idle, "150ms", 1));
        check_bad_in(&wires, stream, &hostile("cut"), (ModelErrorKind::Dropped, "", 1));
    }
}

// L9
#[test]
fn an_answer_that_is_not_json_is_a_dropped_one_in_every_format_and_delivery() {
    for delivery in [Delivery::Stream, Delivery::Whole] {
        for (switch, words) in [("html", "HTML"), ("not_json", "not JSON"), ("empty", "empty")] {
            let hostile = json!({ "switch": switch });
            check_bad_in(&wires(), delivery, &hostile, (ModelErrorKind::Dropped, words, 1));
        }
    }
}

// S10
#[test]
fn an_error_in_mid_stream_is_in_the_answer() {
    for wire in wires() {
        // Cut after the first text, whose position differs between the formats.
        let after_bytes = match wire.name() {
            "gemini" => 1,
            "openai-responses" => 1_500,
            _ => 700,
        };
        let asked = asked(
            &wire,
            &json!({"switch": "error_mid_stream", "after_bytes": after_bytes}),
            Delivery::Stream,
            quick(),
        );
        assert_ne!(asked.ending, Ending::Complete, "{asked:?}");
        assert!(asked.text.starts_with("I l"), "{asked:?}");
        assert_eq!((asked.calls.len(), asked.requests), (0, 1), "{asked:?}");
    }
}

// L9
#[test]
fn a_refused_parameter_is_dropped_and_retried_in_every_format() {
    for wire in wires() {
        let parameter = match wire.name() {
            "gemini" => "generationConfig.temperature",
            _ => "temperature",
        };
        let hostile = json!({"switch": "refuse_parameter", "parameter": parameter});
        let asked = asked(&wire, &hostile, Delivery::Stream, quick());
        assert_eq!(
            (&asked.error, asked.text.as_str(), asked.requests),
            (&None, "I look.", 2),
            "{}",
            wire.name()
        );
        assert_eq!(asked.ending, Ending::Complete, "{}", wire.name());
    }
}
