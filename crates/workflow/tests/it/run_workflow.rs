//! A model that starts a workflow: the workflow has the rights of the model, and is suspended and resumed like every
//! other call.

use std::sync::Arc;

use windlass_agent::{
    Agent, AgentBuilder, Answers, ApproveAll, Event, Outcome, RunOptions, StoredAnswers, UnansweredPolicy,
};
use windlass_hitl::ApprovalDecision;
use windlass_journal::Journals;
use windlass_protocol::Hints;
use windlass_tool::Tool;
use windlass_workflow::{Owner, RunWorkflow, Workflow, Workflows};

use crate::scene::{Fake, NotThere, Store, model, toolbox};

const STEPS: &str = r#"
    name = "survey"
    description = "Looks, asks, looks again."
    [input.what]
    description = "At what."
    [[step]]
    name = "look"
    tool = "echo"
    output = "json"
    arguments = { what = "{{ input.what }}" }
    [[step]]
    name = "sure"
    approval = "Is it right?"
    about = "{{ steps.look.output }}"
    [[step]]
    name = "again"
    after = ["sure"]
    tool = "echo"
    output = "json"
    arguments = { what = "again" }
"#;

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "run_workflow", "arguments": {"workflow": "survey", "input": {"what": "the sea"}}}}]},
    {"steps": [{"text": "surveyed"}]}]}"#;

fn builder(echo: &Arc<Fake>, store: &Store) -> AgentBuilder {
    let mut workflows = Workflows::default();
    assert!(workflows.insert(Owner::User, Workflow::from_toml(STEPS).unwrap()));
    let tools: Vec<Arc<dyn Tool>> =
        vec![echo.clone(), Arc::new(RunWorkflow::new(workflows, Arc::new(store.clone())))];
    let builder = Agent::builder().model(model(SCRIPT), "scripted-1").toolbox(toolbox(tools));
    builder.on_unanswered(UnansweredPolicy::Suspend).approver(ApproveAll)
}

fn options(store: &Store) -> RunOptions {
    RunOptions::default().with_journal(store.open("root").unwrap()).with_run_id("root")
}

#[tokio::test]
async fn a_model_starts_a_workflow_and_receives_its_result() {
    let (echo, store) = (Fake::echo("echo", Hints::read_only()), Store::default());
    let agent = builder(&echo, &store).build().unwrap();
    let mut events = Vec::new();
    let mut stream = agent.stream_with("go", options(&store));
    while let Some(event) = futures_util::StreamExt::next(&mut stream).await {
        events.push(event.unwrap());
    }
    let result = events.iter().find_map(|event| match event {
        Event::CallEnded { result } => Some(result.wire_text()),
        _ => None,
    });
    let result = result.unwrap();
    assert!(result.contains(r#""look":{"what":"the sea"}"#), "{result}");
    let below: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::AgentEvent { agents, .. } => Some(agents.join("/")),
            _ => None,
        })
        .collect();
    assert!(below.iter().all(|agent| agent == "workflow survey") && !below.is_empty(), "{below:?}");
}

// H13, DESIGN "Suspend anywhere".
#[tokio::test]
async fn an_open_approval_suspends_the_root_and_is_answered_there() {
    let (echo, store) = (Fake::echo("echo", Hints::read_only()), Store::default());
    let agent = builder(&echo, &store).approver(NotThere).build().unwrap();
    let report = agent.stream_with("go", options(&store)).report().await.unwrap();
    assert!(matches!(report.outcome, Outcome::Suspended { .. }), "{:?}", report.outcome);
    assert_eq!(echo.calls(), 1);

    let seen = Answers::default();
    let agent = builder(&echo, &store).approver(seen.clone()).build().unwrap();
    let report = agent.resume(options(&store)).unwrap().report().await.unwrap();
    assert!(matches!(report.outcome, Outcome::Suspended { .. }), "{:?}", report.outcome);
    let asked = seen.requests();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].agents, ["workflow survey"]);

    let yes = ApprovalDecision::approve(asked[0].request_id.clone());
    let stored = StoredAnswers::new(NotThere).with_answer(yes, asked[0].digest.clone());
    let agent = builder(&echo, &store).approver(stored).build().unwrap();
    let report = agent.resume(options(&store)).unwrap().report().await.unwrap();
    assert_eq!(report.text(), Some("surveyed"));
    assert_eq!(echo.calls(), 2, "nothing was done twice");
}

#[tokio::test]
async fn unknown_inputs_are_reported_to_the_model() {
    let wrong = r#"{"turns": [
        {"steps": [{"call": {"name": "run_workflow", "arguments": {"workflow": "survey", "input": {"how": 1}}}}]},
        {"steps": [{"text": "well"}]}]}"#;
    let (echo, store) = (Fake::echo("echo", Hints::read_only()), Store::default());
    let agent = builder(&echo, &store).model(model(wrong), "scripted-1").build().unwrap();
    let report = agent.stream_with("go", options(&store)).report().await.unwrap();
    assert_eq!(report.text(), Some("well"));
    let records = store.of("root");
    assert!(records.iter().any(|record| record.body.as_str().contains("has no input how; it has: what")));
}

// The depth of workflows that run themselves is limited.
#[tokio::test]
async fn workflows_run_workflows_only_so_deep() {
    const ITSELF: &str = "name = \"survey\"\n[input.what]\n[[step]]\nname = \"again\"\ntool = \"run_workflow\"\n\
        arguments = { workflow = \"survey\", input = { what = \"{{ input.what }}\" } }";
    let store = Store::default();
    let mut workflows = Workflows::default();
    workflows.insert(Owner::User, Workflow::from_toml(ITSELF).unwrap());
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(RunWorkflow::new(workflows, Arc::new(store.clone())))];
    let builder = Agent::builder().model(model(SCRIPT), "scripted-1").toolbox(toolbox(tools));
    let agent = builder.approver(ApproveAll).build().unwrap();
    let report = agent.stream_with("go", options(&store)).report().await.unwrap();
    assert_eq!(report.text(), Some("surveyed"));
    let records = store.of("root");
    assert!(
        records
            .iter()
            .any(|record| record.body.as_str().contains("workflows are already nested 3 levels deep"))
    );
}
