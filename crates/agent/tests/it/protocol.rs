//! The protocol of calls follows from the model's abilities and from the provider's refusals (P5).

use std::sync::{Arc, Mutex};

use windlass_agent::{Agent, ApproveAll, ContextLimits, Event, RunOptions};
use windlass_journal::{Durability, Journal};
use windlass_mock::ScriptedModel;
use windlass_protocol::{Capabilities, OutputFormat, Refusal, RefusalKind, Request, Support, ToolProtocol};
use windlass_stream::{Model, ModelError, ModelErrorKind, ModelFacts, ModelFuture};

use crate::scene::{Scene, Shared, Way, events, way};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"text": "I look."}, {"call": {"name": "look", "arguments": {"n": 1}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

/// A model of a provider that accepts only some requests.
struct Choosy {
    inner: ScriptedModel,
    takes: fn(&Request) -> bool,
    would_refuse: Vec<Refusal>,
    facts: Option<ModelFacts>,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Model for Choosy {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        self.asked.lock().unwrap().push(request.clone());
        if (self.takes)(request) {
            return self.inner.stream(request);
        }
        let error = ModelError::new(ModelErrorKind::Unsupported, "this model has no such thing");
        Box::pin(async { Err(error) })
    }

    fn check(&self, _: &Request) -> Vec<Refusal> {
        self.would_refuse.clone()
    }

    fn facts(&self, _: &str) -> Option<ModelFacts> {
        self.facts
    }
}

fn choosy(protocol: ToolProtocol, takes: fn(&Request) -> bool) -> Choosy {
    let inner = Way { protocol, ..way() }.model(SCRIPT);
    Choosy { inner, takes, would_refuse: Vec::new(), facts: None, asked: Arc::default() }
}

fn agent(model: Choosy, capabilities: Capabilities) -> Agent {
    let scene = Scene::new(SCRIPT, way());
    scene
        .builder()
        .model(model, "choosy-1")
        .protocols([])
        .capabilities(capabilities)
        .approver(ApproveAll)
        .build()
        .unwrap()
}

/// Runs to the end and returns the protocols of the requests.
async fn check(model: Choosy, capabilities: Capabilities) -> Vec<&'static str> {
    let asked = Arc::clone(&model.asked);
    let report = agent(model, capabilities).run("task").await.unwrap();
    assert_eq!(report.text(), Some("done"));
    let asked = asked.lock().unwrap();
    let form = |request: &Request| match (&request.output, request.tools.is_empty()) {
        (_, false) => "native",
        (OutputFormat::Schema(_), _) => "schema",
        (OutputFormat::Json, _) => "json",
        _ => "text",
    };
    asked.iter().map(form).collect()
}

#[tokio::test]
async fn capabilities_of_a_model_select_its_tool_protocol() {
    use ToolProtocol::{Native, Structured, Text};
    let all = |_: &Request| true;
    let known = |native_tools, structured_output, json_output| Capabilities {
        native_tools,
        structured_output,
        json_output,
        ..Capabilities::default()
    };
    let (yes, no) = (Support::Yes, Support::No);
    assert_eq!(check(choosy(Native, all), Capabilities::default()).await, ["native"; 2]);
    assert_eq!(check(choosy(Structured, all), known(no, yes, yes)).await, ["schema"; 2]);
    assert_eq!(check(choosy(Structured, all), known(no, no, yes)).await, ["json"; 2]);
    assert_eq!(check(choosy(Text, all), known(no, no, no)).await, ["text"; 2]);
}

#[tokio::test]
async fn a_refused_tool_protocol_is_replaced_for_the_rest_of_the_run() {
    use ToolProtocol::{Structured, Text};
    let no_tools = |request: &Request| request.tools.is_empty();
    let asked = check(choosy(Structured, no_tools), Capabilities::default()).await;
    assert_eq!(asked, ["native", "schema", "schema"]);
    let only_words = |request: &Request| request.tools.is_empty() && request.output == OutputFormat::Text;
    let asked = check(choosy(Text, only_words), Capabilities::default()).await;
    assert_eq!(asked, ["native", "schema", "text", "text"]);
}

#[tokio::test]
async fn a_change_of_protocol_is_reported_and_kept_by_a_resumed_run() {
    let journal = Shared::default();
    let model = choosy(ToolProtocol::Structured, |request| request.tools.is_empty());
    let agent = agent(model, Capabilities::default());
    let told = events(agent.stream_with("task", RunOptions::default().with_journal(journal.clone()))).await;
    let change =
        |event: &Event| matches!(event, Event::ProtocolChanged { protocol: ToolProtocol::Structured, .. });
    assert_eq!(told.iter().filter(|event| change(event)).count(), 1);

    // Cut after the first answer. The resumed run is given a model that takes nothing but structured answers.
    let records = journal.records().unwrap();
    let answered = records.iter().position(|record| record.body.as_str().contains(r#""entry":"answered""#));
    let cut = Shared::default();
    for record in &records[..=answered.unwrap()] {
        let (body, at_ms) = (record.body.clone(), record.at_ms);
        cut.inner.lock().unwrap().append(body, at_ms, Durability::Buffered).unwrap();
    }
    let model = choosy(ToolProtocol::Structured, |request| matches!(request.output, OutputFormat::Schema(_)));
    let resumed = self::agent(model, Capabilities::default());
    let report = resumed.resume(RunOptions::default().with_journal(cut)).unwrap().report().await.unwrap();
    assert_eq!(report.text(), Some("done"));
}

#[tokio::test]
async fn a_request_that_would_be_refused_is_not_sent() {
    let mut model = choosy(ToolProtocol::Native, |_| true);
    model.would_refuse = vec![Refusal::new(RefusalKind::Name, "tools[0].name", "the name has a dot")];
    let asked = Arc::clone(&model.asked);
    let error = agent(model, Capabilities::default()).run("task").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the provider would refuse this request: tools[0].name: the name has a dot"
    );
    assert!(asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn model_facts_select_the_protocol_unless_the_builder_does() {
    let words = Capabilities {
        native_tools: Support::No,
        structured_output: Support::No,
        json_output: Support::No,
        ..Capabilities::default()
    };
    let run = async |protocol: ToolProtocol, set: Option<Capabilities>, chosen: Vec<ToolProtocol>| {
        let mut model = choosy(protocol, |_| true);
        model.facts = Some(ModelFacts::new(words));
        let asked = Arc::clone(&model.asked);
        let scene = Scene::new(SCRIPT, way());
        let mut builder = scene.builder().protocols(chosen).model(model, "choosy-1").approver(ApproveAll);
        if let Some(set) = set {
            builder = builder.capabilities(set);
        }
        assert_eq!(builder.build().unwrap().run("task").await.unwrap().text(), Some("done"));
        asked.lock().unwrap().iter().any(|request| !request.tools.is_empty())
    };
    assert!(!run(ToolProtocol::Text, None, vec![]).await);
    assert!(run(ToolProtocol::Native, Some(Capabilities::default()), vec![]).await);
    assert!(run(ToolProtocol::Native, None, vec![ToolProtocol::Native]).await);
}

#[tokio::test]
async fn the_models_context_window_applies_unless_the_builder_sets_one() {
    let filling = async |window: u64| {
        let mut model = choosy(ToolProtocol::Native, |_| true);
        model.facts = Some(ModelFacts::default().with_context_tokens(Some(600)));
        let limits = ContextLimits { window, ..ContextLimits::default() };
        let scene = Scene::new(SCRIPT, way());
        let builder = scene.builder().model(model, "choosy-1").approver(ApproveAll).context(limits);
        let shown = events(builder.build().unwrap().stream("word ".repeat(400))).await;
        let windows = shown.iter().filter_map(|event| match event {
            Event::ContextFilling { window, .. } => Some(*window),
            _ => None,
        });
        windows.collect::<Vec<_>>()
    };
    assert!(filling(0).await.iter().all(|window| *window == 600));
    assert!(!filling(0).await.is_empty());
    assert!(filling(1_000_000).await.is_empty());
}
