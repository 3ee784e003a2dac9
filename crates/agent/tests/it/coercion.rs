//! Arguments that are put right by the schema: a human is shown, and a tool gets, the same call (J9, H4, H14).

use std::sync::{Arc, Mutex};

use windlass_agent::{Approver, ApproverFuture, Event, Outcome};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_protocol::{Effect, Payload, ToolName, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_tools_control::AttemptCompletion;

use crate::scene::{events, ways};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "count", "arguments": {"n": "5", "loud": "true", "text": "12"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

type Seen = Arc<Mutex<Vec<String>>>;

struct Count(ToolSpec, Seen);

impl Tool for Count {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Write { path: "a".into(), bytes: None }]
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        self.1.lock().unwrap().push(payload.text());
        Box::pin(async { Ok(Output::text("counted")) })
    }
}

/// An approver that stores each request and approves it.
struct Witness(Seen);

impl Approver for Witness {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        self.0.lock().unwrap().push(request.call.payload.text());
        Box::pin(async { Some(ApprovalDecision::approve(request.request_id.clone())) })
    }
}

#[tokio::test]
async fn repaired_arguments_are_reported_shown_and_run() {
    for way in ways() {
        let schema = r#"{"type":"object","properties":{"n":{"type":"integer"},"loud":{"type":"boolean"},
            "text":{"type":"string"}},"required":["n"],"additionalProperties":false}"#;
        let spec = ToolSpec::function(ToolName::new("count").unwrap(), "Counts.", schema.parse().unwrap());
        let (shown, ran) = (Seen::default(), Seen::default());
        let tools: [Arc<dyn Tool>; 2] =
            [Arc::new(Count(spec, ran.clone())), Arc::new(AttemptCompletion::default())];
        let toolbox = Toolbox::builder().tools(tools).config(ToolConfig::new(Preset::Full)).build().unwrap();
        let agent = windlass_agent::Agent::builder()
            .model(way.model(SCRIPT), "scripted-1")
            .protocols([way.protocol])
            .toolbox(toolbox)
            .approver(Witness(shown.clone()))
            .build()
            .unwrap();
        let told = events(agent.stream("task")).await;
        let is_done = matches!(told.last(), Some(Event::Finished { outcome: Outcome::Completed { .. }, .. }));
        assert!(is_done, "{:?}", told.last());
        let ran: Vec<serde_json::Value> =
            ran.lock().unwrap().iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        assert_eq!(ran, [serde_json::json!({"n": 5, "loud": true, "text": "12"})]);
        let shown: Vec<serde_json::Value> =
            shown.lock().unwrap().iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        assert_eq!(shown, ran, "what is shown is what runs");
        let coerced = told.iter().filter(|event| matches!(event, Event::CallCoerced { .. })).count();
        // In the text protocols every value is text, so converting it by the schema is not reported as a coercion.
        assert!(coerced <= 1);
        if way.protocol == windlass_protocol::ToolProtocol::Native {
            assert_eq!(coerced, 1);
        }
    }
}
