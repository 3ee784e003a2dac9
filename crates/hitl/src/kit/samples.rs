//! Calls of every kind.

use windlass_protocol::{Arguments, CallId, Effect, Hints, Payload, ToolCall, ToolName};

use crate::PolicyInput;

/// A name that no tool of a program has.
const STRANGER: &str = "tool_of_the_conformance_kit";

/// Returns the facts of calls with every kind of effect and payload.
pub(super) fn every_kind() -> Vec<PolicyInput> {
    let (Ok(id), Ok(name)) = (CallId::new("call_kit"), ToolName::new(STRANGER)) else { return Vec::new() };
    let call = ToolCall::function(id, name.clone(), Arguments::default());
    let mut effects: Vec<Vec<Effect>> = effects().into_iter().map(|effect| vec![effect]).collect();
    effects.push(Vec::new());
    effects.push(self::effects());
    let mut samples = Vec::new();
    for effects in &effects {
        for payload in payloads() {
            let facts = PolicyInput::new(name.clone(), Hints::default(), &call, effects.clone());
            samples.push(facts.with_payload(payload));
        }
    }
    samples
}

fn effects() -> Vec<Effect> {
    let path = || "a/b.txt".to_owned();
    vec![
        Effect::Read { path: path() },
        Effect::ReadTree { path: path() },
        Effect::Write { path: path(), bytes: None },
        Effect::Write { path: String::new(), bytes: Some(u64::MAX) },
        Effect::WriteTree { path: path() },
        Effect::Delete { path: path() },
        Effect::DeleteTree { path: "/".to_owned() },
        Effect::Execute { command: "rm -r 'a b'".to_owned(), directory: String::new() },
        Effect::Connect { host: "::1".to_owned(), port: 0 },
        Effect::Mcp { server: "s".into(), tool: "t".into(), fingerprint: String::new(), known: false },
        Effect::Spawn { agent: "reviewer".to_owned() },
        Effect::custom("payment", "suppliers/ü").with_amount(u64::MAX, "EUR-cent"),
        Effect::custom("", ""),
        Effect::Internal,
        Effect::Unknown,
    ]
}

fn payloads() -> Vec<Payload> {
    let texts = ["{}", r#"{"path":7,"amount":-1,"cents":null,"to":["ü"],"":{}}"#];
    let arguments = texts.into_iter().filter_map(|text| Arguments::parse(text).ok());
    let mut payloads: Vec<Payload> = arguments.map(|arguments| Payload::Function { arguments }).collect();
    payloads.push(Payload::Custom { input: "\u{202e}*** Begin".to_owned() });
    payloads.push(Payload::Mcp { server: "s".into(), tool: "t".into(), arguments: Arguments::default() });
    payloads.push(Payload::LocalShell { command: Vec::new(), working_directory: None, timeout_ms: None });
    payloads
}
