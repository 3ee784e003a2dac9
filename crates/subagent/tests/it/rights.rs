//! The rights of an agent never exceed those of its caller.

use std::sync::atomic::Ordering;

use serde_json::json;
use windlass_agent::{Agent, ApproveAll, Event, Outcome, Prices, RunOptions, SharedBudget};
use windlass_protocol::ResultStatus;
use windlass_subagent::{ModelSource, SourcedModel};

use crate::scene::{Cast, Scene, agent, calls, ended, hand, says};

fn completed(text: &str) -> Outcome {
    Outcome::Completed { text: text.to_owned() }
}

#[tokio::test]
async fn an_agent_does_its_task_and_reports() {
    let cast = Cast::new([
        ("root", vec![calls([hand("h", "sub_agent_child")]), says("all done")]),
        ("child", vec![calls([("r", "read_file", json!({}))]), says("it is there")]),
    ]);
    let scene = Scene::new(cast.clone(), [agent("child")]);
    let (outcome, events) = ended(scene.builder().build().unwrap().stream("task")).await;
    assert_eq!(outcome, completed("all done"));
    assert_eq!(cast.told("root"), "it is there");
    assert_eq!(scene.read.ended.load(Ordering::SeqCst), 1);
    let result = events.iter().find_map(|event| match event {
        Event::CallEnded { result } => Some(result.clone()),
        _ => None,
    });
    let flags = result.unwrap().flags;
    assert!(flags.contains(&windlass_protocol::ResultFlag::External), "it is somebody else's text");
    let below = events.iter().filter_map(|event| match event {
        Event::AgentEvent { agents, happened, .. } => Some((agents.clone(), happened["event"].clone())),
        _ => None,
    });
    let below: Vec<_> = below.collect();
    assert!(below.iter().all(|(agents, _)| *agents == ["child"]));
    for kind in ["turn_started", "call_ended", "text", "finished"] {
        assert!(below.iter().any(|(_, event)| event == kind), "{kind} of {below:?}");
    }
}

// SUB-001: a child has the tools that its definition names and its caller has, and nothing to end or to hand on.
#[tokio::test]
async fn tools_are_those_of_the_definition_that_the_caller_has() {
    let cast = Cast::new([
        ("root", vec![calls([hand("h", "sub_agent_child")]), says("done")]),
        (
            "child",
            vec![calls([("w", "write_file", json!({})), ("x", "run_command", json!({}))]), says("tried")],
        ),
    ]);
    let child = agent("child").with_tools(["read_*", "run_command"]);
    let scene = Scene::new(cast.clone(), [child]);
    let root = scene.builder().approver(ApproveAll).build().unwrap();
    ended(root.stream("task")).await;
    assert_eq!(cast.offered("child"), ["read_file"]);
    assert!(
        cast.told("child").contains("write_file is not available to this agent"),
        "{}",
        cast.told("child")
    );
    assert!(cast.told("child").contains("unknown tool run_command"), "{}", cast.told("child"));
    assert_eq!(scene.write.began.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn without_a_tool_list_completion_and_delegation_are_excluded() {
    let cast = Cast::new([
        ("root", vec![calls([hand("h", "sub_agent_child")]), says("done")]),
        ("child", vec![says("done")]),
    ]);
    let scene = Scene::new(cast.clone(), [agent("child")]);
    ended(scene.builder().build().unwrap().stream("task")).await;
    assert_eq!(cast.offered("child"), ["read_file", "write_file", "slow"]);
}

// L11, SECURITY "Sub-agents": the caller's mode holds for those below it, in whatever mode they are.
#[tokio::test]
async fn a_mode_of_the_caller_holds_for_its_agents() {
    for own_mode in [None, Some("code")] {
        let cast = Cast::new([
            (
                "root",
                vec![calls([("h", "new_task", json!({"mode": "code", "message": "do it"}))]), says("done")],
            ),
            ("child", vec![calls([("w", "write_file", json!({}))]), says("tried")]),
        ]);
        let mut child = agent("child");
        if let Some(slug) = own_mode {
            child = child.with_mode(slug);
        }
        let scene = Scene::new(cast.clone(), [child]);
        // The mode `ask` permits no changes, and does not have the group of `sub_agent` tools; `new_task` is in every
        // mode.
        let root = scene.builder().work_mode("ask").approver(ApproveAll).build().unwrap();
        let (_, events) = ended(root.stream("task")).await;
        let offered = events.iter().filter_map(|event| match event {
            Event::AgentEvent { happened, .. } => happened["happened"].as_str().map(str::to_owned),
            _ => None,
        });
        assert_eq!(offered.count(), 0);
        let tools: Vec<String> = {
            let requests = cast.requests.lock().unwrap();
            let below = requests.iter().find(|(_, request)| {
                request.system.as_deref().unwrap_or_default().contains("one task in the mode code")
            });
            below.unwrap().1.tools.iter().map(|tool| tool.name().to_string()).collect()
        };
        assert!(tools.contains(&"read_file".to_owned()), "{tools:?}");
        assert!(!tools.contains(&"write_file".to_owned()), "{tools:?}");
    }
}

// SUB-007 and the policy in general: a call that is asked or denied for the caller is asked or denied for its
// agents.
#[tokio::test]
async fn the_policy_of_the_caller_decides_about_the_calls_of_its_agents() {
    let cast = Cast::new([
        ("root", vec![calls([hand("h", "sub_agent_child")]), says("done")]),
        ("child", vec![calls([("w", "write_file", json!({}))]), says("tried")]),
    ]);
    let scene = Scene::new(cast.clone(), [agent("child")]);
    // No approver is present.
    ended(scene.builder().build().unwrap().stream("task")).await;
    assert_eq!(scene.write.began.load(Ordering::SeqCst), 0);

    let scene = Scene::new(cast.clone(), [agent("child").read_only()]);
    ended(scene.builder().approver(ApproveAll).build().unwrap().stream("task")).await;
    assert_eq!(scene.write.began.load(Ordering::SeqCst), 0, "what only reads is denied the rest");
}

// F41: if an agent panics, its caller receives an error as the result of the call.
#[tokio::test]
async fn a_panic_of_an_agent_is_one_error_result() {
    let cast = Cast::new([
        ("root", vec![calls([hand("h", "sub_agent_child")]), says("went on")]),
        ("child", vec![crate::scene::Line::Panics]),
    ]);
    let scene = Scene::new(cast.clone(), [agent("child")]);
    let (outcome, events) = ended(scene.builder().build().unwrap().stream("task")).await;
    assert_eq!(outcome, completed("went on"));
    let statuses = events.iter().filter_map(|event| match event {
        Event::CallEnded { result } => Some(result.status),
        _ => None,
    });
    assert_eq!(statuses.collect::<Vec<_>>(), [ResultStatus::Error]);
}

#[tokio::test]
async fn an_unknown_model_of_an_agent_is_an_error_result() {
    let cast = Cast::new([("root", vec![calls([hand("h", "sub_agent_child")]), says("went on")])]);
    let scene = Scene::new(cast.clone(), [agent("child").with_model("small-1")]);
    let root: Agent = scene.builder().build().unwrap();
    ended(root.stream("task")).await;
    assert!(cast.told("root").contains("unknown model small-1"));
}

/// A router that knows one model by its name.
struct Named(&'static str, std::sync::Arc<Cast>);

impl ModelSource for Named {
    fn model(&self, name: &str) -> Option<SourcedModel> {
        let prices = Prices { input: 1_000_000, ..Prices::default() };
        (name == self.0).then(|| SourcedModel::new(self.1.clone(), name).with_prices(prices))
    }
}

// The cost at the agent's own model counts for the common budget.
#[tokio::test]
async fn an_agent_uses_its_own_model() {
    let root = Cast::new([("root", vec![calls([hand("h", "sub_agent_child")]), says("done")])]);
    let small = Cast::new([("child", vec![says("small and cheap")])]);
    let scene = Scene::new(root.clone(), [agent("child").with_model("small-1")]);
    let agents = scene.sub_agents().with_models(Named("small-1", small.clone()));
    let agent = scene.builder().toolbox(scene.toolbox(&agents)).build().unwrap();
    let shared_budget = SharedBudget::default();
    let options = RunOptions::default().with_shared_budget(shared_budget.clone());
    ended(agent.stream_with("task", options)).await;
    assert_eq!(root.told("root"), "small and cheap");
    assert_eq!(small.requests.lock().unwrap()[0].1.model, "small-1");
    assert_eq!(shared_budget.used().cost, 90, "ninety tokens in");
}
