//! Tools that the builder of an agent takes one by one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use windlass_agent::{Agent, AgentError};
use windlass_mock::MockModel;
use windlass_protocol::{Effect, Hints, ToolName, ToolSpec};
use windlass_tool::{Output, Tool};
use windlass_toolbox::{CallbackTool, Toolbox};

fn counting(name: &str, calls: &Arc<AtomicUsize>) -> CallbackTool {
    let spec =
        ToolSpec::function(ToolName::new(name).unwrap(), "Counts.", r#"{"type":"object"}"#.parse().unwrap());
    let calls = calls.clone();
    let tool = CallbackTool::new(spec, move |_, _| {
        calls.fetch_add(1, Ordering::SeqCst);
        async { Ok(Output::text("counted")) }
    });
    tool.with_hints(Hints::read_only()).with_effects(|_| vec![Effect::Internal])
}

#[tokio::test]
async fn tools_given_one_by_one_are_offered_in_order_and_run() {
    let calls = Arc::new(AtomicUsize::new(0));
    let shared: Vec<Arc<dyn Tool>> = vec![Arc::new(counting("third", &calls))];
    let model = MockModel::new().call("second", serde_json::json!({})).text("Done.");
    let agent = Agent::builder()
        .model(model.clone(), "mock-1")
        .tool(counting("first", &calls))
        .tool(Arc::new(counting("second", &calls)))
        .tools(shared)
        .build()
        .unwrap();
    assert_eq!(agent.run("Count.").await.unwrap().into_text().unwrap(), "Done.");
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    let names: Vec<_> = agent.toolbox().unwrap().iter_offered_names().map(ToString::to_string).collect();
    assert_eq!(names, ["first", "second", "third"]);
    model.request(0).assert_offers("third");
}

#[test]
fn tools_that_do_not_form_a_toolbox_are_an_error_of_build() {
    let calls = Arc::default();
    let builder = || Agent::builder().model(MockModel::new(), "mock-1");
    let twice = builder().tool(counting("count", &calls)).tool(counting("count", &calls)).build();
    assert_eq!(twice.unwrap_err().to_string(), "two tools have the name count");

    let toolbox = Toolbox::builder().tool(counting("count", &calls)).build().unwrap();
    let both = builder().tool(counting("more", &calls)).toolbox(toolbox).build();
    assert!(matches!(both, Err(AgentError::ToolsAndToolbox)));
    assert!(builder().build().unwrap().toolbox().is_none());
}
