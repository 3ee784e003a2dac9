//! Faults of a provider at a gateway lead to a typed error or a correct answer, never to half a call (Must be shown
//! 5).

use std::time::Duration;

use windlass_assemble::Answer;
use windlass_protocol::{Message, Request};
use windlass_stream::ModelError;

use crate::formats::{Format, pairs};
use crate::serve::{ask, client, served, tools};

/// The answer of a gateway with a misbehaving provider.
#[derive(Debug)]
enum Came {
    /// The whole answer.
    Right,
    /// An answer with a mark that it is incomplete, and without a call that could run.
    Broken,
    /// A typed error.
    Error,
}

async fn came(switch: &str, front: &Format, behind: &Format) -> Came {
    let script = format!(
        r#"{{"turns": [{{"steps": [{{"text": "I look."}}, {{"call": {{"name": "read", "arguments": {{"path": "a.txt"}}}}}}],
            "piece": 4, "hostile": {switch}}}]}}"#
    );
    let served = served(&script, behind).await;
    let request = Request::new("m", vec![Message::user("look")]).with_tools(tools());
    let asking = async { ask(&client(&served.url, front), &request).await };
    let answer: Result<Answer, ModelError> =
        tokio::time::timeout(Duration::from_secs(30), asking).await.expect("it hangs");
    served.provider.shutdown().await;
    match answer {
        Err(_) => Came::Error,
        Ok(answer) if answer.error.is_some() || answer.stop.is_none() => {
            // Half a call is never a call.
            for call in answer.good_calls() {
                assert_eq!(call.payload.text(), r#"{"path": "a.txt"}"#);
            }
            Came::Broken
        }
        Ok(answer) => {
            let calls: Vec<_> = answer.good_calls().map(|call| call.payload.text()).collect();
            let value: serde_json::Value = serde_json::from_str(&calls[0]).unwrap();
            assert_eq!((calls.len(), value), (1, serde_json::json!({"path": "a.txt"})));
            Came::Right
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_switch_in_every_pair_ends_in_an_error_or_a_right_answer() {
    const SWITCHES: &[(&str, bool)] = &[
        (r#"{"switch": "one_byte"}"#, true),
        (r#"{"switch": "cut", "after_bytes": 300}"#, false),
        (r#"{"switch": "cut", "after_bytes": 1}"#, false),
        (r#"{"switch": "status", "status": 429, "retry_after": 1}"#, false),
        (r#"{"switch": "status", "status": 400}"#, false),
        (r#"{"switch": "status", "status": 503}"#, false),
        (r#"{"switch": "error_mid_stream", "after_bytes": 300}"#, false),
        (r#"{"switch": "html"}"#, false),
        (r#"{"switch": "empty"}"#, false),
        (r#"{"switch": "not_json"}"#, false),
    ];
    for (front, behind) in pairs() {
        for (switch, is_right) in SWITCHES {
            let came = came(switch, &front, &behind).await;
            let place = format!("{switch}, {} before {}", front.name(), behind.name());
            assert_eq!(matches!(came, Came::Right), *is_right, "{place}: {came:?}");
        }
    }
}

/// The idle timer of the gateway ends the answer of a provider that stalls after its beginning.
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_stalls_ends_in_time() {
    for (front, behind) in pairs() {
        if front.name() != behind.name() {
            continue;
        }
        let came = came(r#"{"switch": "stall", "after_bytes": 200}"#, &front, &behind).await;
        assert!(!matches!(came, Came::Right), "{}: {came:?}", front.name());
    }
}
