//! A server that is asked to stop, a server that never answers, and a server that dies.

use std::time::Duration;

use windlass_mcp::{ClientOptions, McpLimits};
use windlass_protocol::ResultStatus;
use windlass_testkit::{Need, require};
use windlass_tool::CancellationToken;

use crate::place::{Recorded, call, call_with, context, patient, used, words};

const LONG: &str = "trigger-long-running-operation";
const FOR_EVER: &str = r#"{"duration":600,"steps":1}"#;
const CALLED: &str = "\"tools/call\"";
const CANCELLED: &str = "notifications/cancelled";

// M2
#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_returns_a_result_and_notifies_the_server() {
    let recorded = Recorded::new();
    let server = require!(Need::McpServers, recorded.everything());
    let connections = used(server.with_limits(patient()), ClientOptions::default()).await;
    let stop = CancellationToken::new();
    let ctx = context().with_cancellation(stop.clone());
    let (stopped, ()) = tokio::join!(call_with(&connections, LONG, FOR_EVER, &ctx), async {
        recorded.wait_for(CALLED, 1).await;
        stop.cancel();
    });
    assert_eq!(stopped.unwrap().status, ResultStatus::Cancelled);
    recorded.wait_for(CANCELLED, 1).await;
    // The server continues with the next request.
    assert!(call(&connections, "echo", r#"{"message":"still here"}"#).await.unwrap().status.is_ok());
    connections.close().await;
}

// M2
#[tokio::test(flavor = "multi_thread")]
async fn an_unanswered_call_times_out_names_the_key_and_notifies_the_server() {
    let recorded = Recorded::new();
    let server = require!(Need::McpServers, recorded.everything());
    let limits = McpLimits { call: Duration::from_millis(500), ..patient() };
    let connections = used(server.with_limits(limits), ClientOptions::default()).await;
    let late = call(&connections, LONG, FOR_EVER).await.unwrap();
    assert_eq!(late.status, ResultStatus::TimedOut);
    assert!(words(&late).contains("tool_timeout_sec"), "{late:?}");
    recorded.wait_for(CANCELLED, 1).await;
    connections.close().await;
}

// R6
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_in_a_call_gives_one_result_and_is_there_for_the_next() {
    let recorded = Recorded::new();
    let server = require!(Need::McpServers, recorded.everything());
    let connections = used(server.with_limits(patient()), ClientOptions::default()).await;
    let ctx = context();
    let (cut, ()) = tokio::join!(call_with(&connections, LONG, FOR_EVER, &ctx), async {
        recorded.wait_for(CALLED, 1).await;
        recorded.kill();
    });
    assert_eq!(cut.unwrap().status, ResultStatus::EffectsUnknown);
    // The server is not used for a moment, and the error says so.
    let answered = tokio::time::timeout(Duration::from_secs(30), async {
        loop {
            if let Ok(output) = call(&connections, "echo", r#"{"message":"back"}"#).await {
                break output;
            }
            tokio::task::yield_now().await;
        }
    });
    let answered = answered.await.unwrap();
    assert!(words(&answered).contains("Echo: back"), "{answered:?}");
    assert_eq!(recorded.sent(LONG), 1, "nothing is sent twice");
    connections.close().await;
}
