//! The depth of agents, the number of concurrent ones, and their end when the root ends.

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::json;
use windlass_agent::{ApproveAll, Event, Outcome, RunOptions, StopCause};
use windlass_subagent::AgentLimits;
use windlass_tool::CancellationToken;

use crate::scene::{Cast, Scene, agent, calls, ended, hand, says};

// F41, SECURITY "Sub-agents": depth 3.
#[tokio::test]
async fn agents_go_three_deep_and_no_deeper() {
    let cast = Cast::new([
        ("root", vec![calls([hand("h", "sub_agent_deep")]), says("done")]),
        ("deep", vec![calls([hand("h", "sub_agent_deep")]), says("as deep as it goes")]),
    ]);
    let scene = Scene::new(cast.clone(), [agent("deep").with_delegation()]);
    let (_, events) = ended(scene.builder().build().unwrap().stream("task")).await;
    let depths = events.iter().filter_map(|event| match event {
        Event::AgentEvent { agents, .. } => Some(agents.len()),
        _ => None,
    });
    assert_eq!(depths.max(), Some(3));
    let requests = cast.requests.lock().unwrap();
    let refused = requests
        .iter()
        .any(|(_, request)| format!("{request:?}").contains("agents are already nested 3 levels deep"));
    assert!(refused);
}

// SUB-003: at most eight agents work at once; further agents of the root wait for a place.
#[tokio::test(start_paused = true)]
async fn eight_agents_work_at_once_and_the_others_wait() {
    let ids: Vec<&'static str> = (0..20).map(|n| &*format!("h{n}").leak()).collect();
    let hands: Vec<_> = ids.iter().map(|id| hand(id, "sub_agent_child")).collect();
    let cast = Cast::new([
        ("root", vec![crate::scene::Line::Calls(hands), says("done")]),
        ("child", vec![calls([("s", "slow", json!({}))]), says("slept")]),
    ]);
    let scene = Scene::new(cast, [agent("child")]);
    let (outcome, _) = ended(scene.builder().build().unwrap().stream("task")).await;
    assert_eq!(outcome, Outcome::Completed { text: "done".into() });
    assert_eq!(scene.slow.ended.load(Ordering::SeqCst), 20);
    assert_eq!(scene.slow.most.load(Ordering::SeqCst), 8);
}

// correctness (suspicion): a definition cannot raise the limit of turns, and the caller's own limits hold below it.
#[tokio::test(start_paused = true)]
async fn an_agent_has_at_most_the_turns_of_its_limits() {
    let requests = |definition: Option<u32>, most: u32| async move {
        let looks = || calls([("s", "slow", json!({}))]);
        let cast = Cast::new([
            ("root", vec![calls([hand("h", "sub_agent_child")]), says("done")]),
            ("child", vec![looks(), looks(), looks(), looks(), says("enough")]),
        ]);
        let child = agent("child");
        let child = definition.into_iter().fold(child, windlass_subagent::AgentDefinition::with_turns);
        let scene = Scene::new(cast.clone(), [child]);
        let agents = scene.sub_agents().with_limits(AgentLimits { turns: most, ..AgentLimits::default() });
        let root = scene.builder().toolbox(scene.toolbox(&agents)).build().unwrap();
        ended(root.stream("task")).await;
        let requests = cast.requests.lock().unwrap();
        requests.iter().filter(|(part, _)| part == "child").count()
    };
    assert_eq!(requests(None, 2).await, 2);
    assert_eq!(requests(Some(40), 2).await, 2, "a definition cannot ask for more");
    assert_eq!(requests(Some(2), 40).await, 2, "but for less");
    assert_eq!(requests(Some(40), 0).await, 5, "0 is no limit");
}

// An agent that holds a slot does not wait for another slot, so that no agent waits forever.
#[tokio::test(start_paused = true)]
async fn an_agent_beyond_the_limit_is_refused_with_the_reason() {
    let cast = Cast::new([
        ("root", vec![calls([hand("a", "sub_agent_middle")]), says("done")]),
        ("middle", vec![calls([hand("c", "sub_agent_child")]), says("told")]),
    ]);
    let scene = Scene::new(cast.clone(), [agent("middle").with_delegation(), agent("child")]);
    let agents = scene.sub_agents().with_limits(AgentLimits { at_once: 1, ..AgentLimits::default() });
    let root = scene.builder().toolbox(scene.toolbox(&agents)).build().unwrap();
    let (outcome, _) = ended(root.stream("task")).await;
    assert_eq!(outcome, Outcome::Completed { text: "done".into() });
    assert!(cast.told("middle").contains("1 agents are already active"), "{}", cast.told("middle"));
}

// F41: the caller is cancelled, and none of its agents remains.
#[tokio::test(start_paused = true)]
async fn agents_end_with_their_caller() {
    for dropped in [false, true] {
        let cast = Cast::new([
            (
                "root",
                vec![calls([hand("a", "sub_agent_middle"), hand("b", "sub_agent_child")]), says("done")],
            ),
            ("middle", vec![calls([hand("c", "sub_agent_child")]), says("told")]),
            ("child", vec![calls([("s", "slow", json!({}))]), says("slept")]),
        ]);
        let scene = Scene::new(cast, [agent("middle").with_delegation(), agent("child")]);
        let stop = CancellationToken::new();
        let options = RunOptions::default().with_cancellation(stop.clone());
        let root = scene.builder().approver(ApproveAll).build().unwrap();
        let mut events = root.stream_with("task", options);
        while scene.slow.running() < 2 {
            assert!(events.next().await.is_some());
        }
        if dropped {
            drop(events);
            tokio::time::sleep(Duration::from_millis(1)).await;
        } else {
            stop.cancel();
            let (outcome, _) = ended(events).await;
            assert_eq!(outcome, Outcome::Stopped { cause: StopCause::Cancelled });
        }
        assert_eq!(scene.slow.running(), 0, "dropped: {dropped}");
        assert_eq!(scene.slow.ended.load(Ordering::SeqCst), 0);
    }
}
