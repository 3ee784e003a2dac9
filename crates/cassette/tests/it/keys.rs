//! An id alone does not determine which recorded call or approval is replayed: a call also needs the same arguments,
//! an approval the same digest.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_agent::{Approver, ApproverFuture};
use windlass_cassette::{Fork, Player};
use windlass_hitl::ApprovalRequest;
use windlass_protocol::{Arguments, CallId, Content, Effect, Payload, ToolSpec};
use windlass_tool::{Context, Inspection, Output, Tool, ToolFuture};

use crate::scene::Change;

fn cassette(lines: &[Value]) -> String {
    cassette_of_version(2, lines)
}

fn cassette_of_version(version: u32, lines: &[Value]) -> String {
    let begin = json!({"line": "begin", "version": version, "settings": {}});
    [&begin].into_iter().chain(lines).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat()
}

fn call(input: &str, said: &str) -> Value {
    let content = [Content::text(said)];
    json!({"line": "call", "call": "call_2_0", "tool": "change", "input": input,
        "outcome": {"output": {"status": "ok", "content": content}}})
}

async fn play(tool: &Arc<dyn Tool>, input: &str) -> Result<String, String> {
    let payload = Payload::Function { arguments: Arguments::parse(input).unwrap() };
    let ctx = Context::new(CallId::new("call_2_0").unwrap());
    let ended = tool.call(&ctx, &payload).await.map_err(|error| format!("{error:?}"))?;
    match &ended.content[0] {
        Content::Text { text } => Ok(text.clone()),
        other => Err(format!("{other:?}")),
    }
}

#[tokio::test]
async fn calls_with_one_id_are_matched_by_arguments_and_replayed_once() {
    let lines = [call(r#"{"n":1}"#, "one"), call(r#"{"n":2}"#, "two"), call(r#"{"n":2}"#, "two again")];
    let player = Player::parse(&cassette(&lines)).unwrap();
    let tool = player.tool(Change::new());
    assert_eq!(play(&tool, r#"{"n":2}"#).await.unwrap(), "two");
    assert_eq!(play(&tool, r#"{"n":1}"#).await.unwrap(), "one");
    let other = play(&tool, r#"{"n":3}"#).await.unwrap_err();
    assert!(other.contains("the call call_2_0 was change with"), "{other}");
    assert_eq!(play(&tool, r#"{"n":2}"#).await.unwrap(), "two again");
    assert!(play(&tool, r#"{"n":2}"#).await.unwrap_err().contains("is not in the cassette"));
}

fn request(call: &str, input: &str, digest: &str) -> ApprovalRequest {
    serde_json::from_value(json!({
        "request_id": "now", "tool": "change", "effects": [], "risk": "low", "digest": digest, "can_remember": false,
        "call": {"id": call, "name": "change", "payload": {"kind": "function", "arguments": input}},
        "reason": {"rule_id": "r", "source": "builtin", "text": "t"},
    }))
    .unwrap()
}

/// An approver that denies every call.
struct Nobody;

impl Approver for Nobody {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async { None })
    }
}

#[tokio::test]
async fn a_recorded_approval_counts_only_for_its_digest() {
    let decision = json!({"request_id": "then", "approved": true});
    let asked =
        |input: &str, digest: &str| json!({"agents": [], "tool": "change", "input": input, "digest": digest});
    let lines = |asked: &Value| {
        let approval = json!({"line": "approval", "call": "call_1_0", "asked": asked, "decision": decision});
        let mut other = call(r#"{"n":9}"#, "another");
        other["call"] = json!("other");
        cassette(&[approval, other])
    };
    let open = |text: &str, is_live: bool| {
        if !is_live {
            return Player::parse(text).unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.jsonl");
        std::fs::write(&file, text).unwrap();
        Player::fork(&file, Fork::new(CallId::new("other").unwrap(), Output::text("x"))).unwrap()
    };
    let bound = lines(&asked(r#"{"n":1}"#, "aa"));
    let redacted = lines(&asked(r#"{"n":"[redacted]"}"#, "aa"));
    let unbound = lines(&Value::Null);
    let (one, two) = (r#"{"n":1}"#, r#"{"n":2}"#);
    for (text, is_live, input, digest, expected) in [
        (&bound, false, one, "aa", true),
        (&bound, true, one, "aa", true),
        (&bound, false, one, "bb", false),
        (&bound, true, one, "bb", false),
        (&redacted, false, r#"{"n":"secret"}"#, "bb", true),
        (&redacted, false, two, "bb", false),
        (&redacted, true, r#"{"n":"secret"}"#, "bb", false),
        // An approval of an earlier version has no digest, so it is accepted only in a replay, where no tool runs.
        (&unbound, false, one, "aa", true),
        (&unbound, true, one, "aa", false),
    ] {
        let player = open(text, is_live);
        let approver = player.approver(Some(Arc::new(Nobody)));
        let request = request("call_1_0", input, digest);
        let met = approver.decide(&request).await;
        assert_eq!(met.is_some_and(|met| met.approved), expected, "{text} {is_live} {input} {digest}");
        // A recorded approval is returned once.
        assert!(approver.decide(&request).await.is_none());
    }
}

// The digests of version 1 were computed from `Debug` text, so no request has them any more.
#[tokio::test]
async fn a_version_1_approval_counts_for_the_same_call_in_a_pure_replay() {
    let asked = json!({"agents": [], "tool": "change", "input": r#"{"n":1}"#, "digest": "old"});
    let decision = json!({"request_id": "then", "approved": true});
    let approval = json!({"line": "approval", "call": "call_1_0", "asked": asked, "decision": decision});
    let mut other = call(r#"{"n":9}"#, "another");
    other["call"] = json!("other");
    let text = cassette_of_version(1, &[approval, other]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.jsonl");
    std::fs::write(&file, &text).unwrap();
    let fork = || Player::fork(&file, Fork::new(CallId::new("other").unwrap(), Output::text("x"))).unwrap();
    for (player, input, expected) in [
        (Player::parse(&text).unwrap(), r#"{"n":1}"#, true),
        (Player::parse(&text).unwrap(), r#"{"n":2}"#, false),
        (fork(), r#"{"n":1}"#, false),
    ] {
        let approver = player.approver(Some(Arc::new(Nobody)));
        let met = approver.decide(&request("call_1_0", input, "new")).await;
        assert_eq!(met.is_some_and(|met| met.approved), expected, "{input}");
    }
}

/// A tool whose `inspect` calls that of another tool.
struct Asking {
    inner: Arc<Change>,
    other: Arc<dyn Tool>,
}

impl Tool for Asking {
    fn spec(&self) -> &ToolSpec {
        self.inner.spec()
    }

    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        self.inner.effects(payload)
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        self.other.inspect(payload)
    }

    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        self.inner.call(ctx, payload)
    }
}

// A suspicion of correctness-3: in the live part of a fork the inner `inspect` was called while the player was
// locked.
#[test]
fn a_look_in_the_live_part_may_ask_another_tool_of_the_same_player() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.jsonl");
    std::fs::write(&file, cassette(&[call("{}", "one")])).unwrap();
    let fork = Fork::new(CallId::new("call_2_0").unwrap(), Output::text("x"));
    let player = Player::fork(&file, fork).unwrap();
    let change = Change::new();
    let other = player.tool(change.clone());
    let asking = player.tool(Arc::new(Asking { inner: change.clone(), other }));
    let (sender, receiver) = std::sync::mpsc::channel();
    // Use another thread, because a mutex that one thread locks twice can block it forever.
    std::thread::spawn(move || {
        let payload = Payload::Function { arguments: Arguments::parse(r#"{"n":7}"#).unwrap() };
        let _ = sender.send(asking.inspect(&payload).targets.len());
    });
    assert_eq!(receiver.recv_timeout(std::time::Duration::from_secs(20)), Ok(1));
    assert_eq!(change.looks(), 1);
}
