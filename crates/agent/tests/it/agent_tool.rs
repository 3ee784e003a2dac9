//! Agents as tools of other agents, and the transfer of a conversation.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::StreamExt;
use serde_json::json;
use windlass_agent::{
    Agent, AgentError, Answers, ApproverReply, Budget, Event, Outcome, Prices, RunOptions, RunningCalls,
    SharedBudget, UnansweredPolicy,
};
use windlass_hitl::{Objection, Policy, PolicyInput};
use windlass_journal::MemoryJournals;
use windlass_mock::MockModel;
use windlass_protocol::{CallId, Effect, Hints, ResultStatus, Usage};
use windlass_tool::Tool;
use windlass_toolbox::Toolbox;

use crate::scene::{Counting, Shared, events};

fn toolbox(tool: impl Tool + 'static) -> Toolbox {
    Toolbox::builder().tool(Arc::new(tool)).build().unwrap()
}

/// A tool that changes a file, which a human is asked about.
fn change() -> Arc<Counting> {
    Arc::new(Counting::new("change", Hints::default(), Effect::Write { path: "a".into(), bytes: None }))
}

/// A specialist that makes one call of `change`.
fn specialist(tool: &Arc<Counting>) -> Agent {
    let model = MockModel::new().call("change", json!({})).text("the bill is paid").usage(5, 1);
    let tools = Toolbox::builder().tool(tool.clone()).build().unwrap();
    Agent::builder().model(model, "specialist-1").toolbox(tools).build().unwrap()
}

fn caller(tool: impl Tool + 'static) -> windlass_agent::AgentBuilder {
    let model = MockModel::new().call("billing", json!({"task": "pay the bill"})).text("all done");
    Agent::builder().model(model, "caller-1").toolbox(toolbox(tool))
}

#[tokio::test]
async fn a_specialist_has_tools_that_its_caller_does_not_have() {
    let tool = change();
    let billing = specialist(&tool).as_tool("billing", "Pays bills.").unwrap();
    let human = Answers::new([ApproverReply::Approve, ApproverReply::Approve]);
    let budget = SharedBudget::default();
    let agent = caller(billing).approver(human.clone()).build().unwrap();
    let options = RunOptions::default().with_shared_budget(budget.clone());
    let shown = events(agent.stream_with("go", options)).await;
    assert_eq!(tool.calls.load(Ordering::SeqCst), 1);
    let asked: Vec<_> =
        human.requests().into_iter().map(|asked| (asked.tool.to_string(), asked.agents)).collect();
    assert_eq!(asked, [("billing".to_owned(), vec![]), ("change".to_owned(), vec!["billing".to_owned()])]);
    let nested = shown.iter().filter_map(|event| match event {
        Event::AgentEvent { agents, happened, .. } => Some((agents.clone(), happened["event"].clone())),
        _ => None,
    });
    let nested: Vec<_> = nested.collect();
    assert!(nested.iter().all(|(agents, _)| *agents == ["billing"]));
    assert!(nested.iter().any(|(_, event)| event == "call_running"));
    let report = shown.iter().find_map(|event| match event {
        Event::CallEnded { result } => Some(result.wire_text()),
        _ => None,
    });
    assert_eq!(report.unwrap(), "the bill is paid");
    assert_eq!(budget.used().requests, 4, "both agents count");
}

#[tokio::test]
async fn the_specialists_own_policy_decides_and_no_one_above_lifts_it() {
    let tool = change();
    let deny =
        Policy::default().with_check("never", |_: &PolicyInput| Some(Objection::deny("never"))).unwrap();
    let billing = specialist(&tool).copy_builder().policy(deny).build().unwrap();
    let allow = Policy::default().with_permit("all", |_: &PolicyInput| true).unwrap();
    let agent = caller(billing.as_tool("billing", "Pays.").unwrap()).policy(allow);
    let human = Answers::new([ApproverReply::Approve]);
    let report = agent.approver(human.clone()).build().unwrap().run("go").await.unwrap();
    assert_eq!((tool.calls.load(Ordering::SeqCst), human.requests().len()), (0, 0));
    assert_eq!(report.text(), Some("all done"));
}

#[tokio::test]
async fn without_an_approver_above_the_specialist_has_none() {
    let tool = change();
    let own = specialist(&tool).copy_builder().approver(windlass_agent::ApproveAll).build().unwrap();
    let allow = Policy::default().with_permit("all", |_: &PolicyInput| true).unwrap();
    let agent = caller(own.as_tool("billing", "Pays.").unwrap()).policy(allow).build().unwrap();
    agent.run("go").await.unwrap();
    assert_eq!(tool.calls.load(Ordering::SeqCst), 0, "the questions go to the root's approver");
}

#[tokio::test]
async fn a_suspended_specialist_continues_when_its_caller_is_resumed() {
    let (tool, journal, journals) = (change(), Shared::default(), MemoryJournals::default());
    let agent = |human: Answers| {
        let billing = specialist(&tool).as_tool("billing", "Pays.").unwrap().with_journals(journals.clone());
        let allow = Policy::default()
            .with_permit("agents", |facts: &PolicyInput| {
                facts.effects.iter().all(|effect| effect.kind() == "spawn")
            })
            .unwrap();
        caller(billing)
            .policy(allow)
            .approver(human)
            .on_unanswered(UnansweredPolicy::Suspend)
            .build()
            .unwrap()
    };
    let options = || RunOptions::default().with_run_id("run-1").with_journal(journal.clone());
    let report = agent(Answers::default()).run_with("go", options()).await.unwrap();
    assert!(matches!(report.outcome, Outcome::Suspended { .. }), "{:?}", report.outcome);
    assert_eq!(journals.keys().len(), 1);
    // The models of this process begin anew: the specialist's next answer is its report.
    let model = MockModel::new().text("the bill is paid");
    let tools = Toolbox::builder().tool(tool.clone()).build().unwrap();
    let later = Agent::builder().model(model, "specialist-1").toolbox(tools).build().unwrap();
    let billing = later.as_tool("billing", "Pays.").unwrap().with_journals(journals.clone());
    let human = Answers::new([ApproverReply::Approve, ApproverReply::Approve]);
    let agent =
        Agent::builder().model(MockModel::new().text("all done"), "caller-1").toolbox(toolbox(billing));
    let agent = agent.approver(human).build().unwrap();
    let report = agent.resume(options()).unwrap().report().await.unwrap();
    assert_eq!((report.text(), tool.calls.load(Ordering::SeqCst)), (Some("all done"), 1));
}

#[tokio::test]
async fn agents_that_call_each_other_end() {
    // Each level answers with one call of the next.
    let mut below: Option<Agent> = None;
    let human = Answers::new(vec![ApproverReply::Approve; 40]);
    for _ in 0..12 {
        let model = MockModel::new();
        let builder = match below.take() {
            None => Agent::builder().model(model.text("deepest"), "m"),
            Some(agent) => {
                let tool = agent.as_tool("deeper", "Goes down.").unwrap();
                let model = model.call("deeper", json!({"task": "go"})).text("back");
                Agent::builder().model(model, "m").toolbox(toolbox(tool))
            }
        };
        below = Some(builder.approver(human.clone()).build().unwrap());
    }
    let report = below.unwrap().run("go").await.unwrap();
    assert_eq!(report.text(), Some("back"));
    assert_eq!(human.requests().iter().map(|asked| asked.agents.len()).max(), Some(8));
}

fn triage(next: &Agent) -> Agent {
    let tool = next.as_hand_off("billing", "Answers questions about bills.").unwrap();
    let model = MockModel::new().call("billing", json!({"reason": "a bill"})).text("never asked");
    Agent::builder().model(model, "triage-1").toolbox(toolbox(tool)).build().unwrap()
}

#[tokio::test]
async fn a_hand_off_lets_another_agent_answer_the_user_from_then_on() {
    let model = MockModel::new().text("Your bill is 4 euro.").text("Bye.");
    let billing = Agent::builder().model(model.clone(), "billing-1").build().unwrap();
    let mut session = triage(&billing).session();
    let mut stream = session.stream("How much is my bill?");
    let mut shown = Vec::new();
    while let Some(event) = stream.next().await {
        shown.push(event.unwrap());
    }
    drop(stream);
    let position = |found: &dyn Fn(&Event) -> bool| shown.iter().position(found);
    let transfer = position(&|event| matches!(event, Event::HandOff { agent } if agent == "billing"));
    assert!(transfer < position(&|event| matches!(event, Event::Finished { .. })));
    assert_eq!(shown.iter().filter(|event| matches!(event, Event::Finished { .. })).count(), 1);
    let Some(Event::Finished { outcome, .. }) = shown.last() else { panic!("{shown:?}") };
    assert_eq!(*outcome, Outcome::Completed { text: "Your bill is 4 euro.".into() });
    let seen = format!("{:?}", model.request(0));
    assert!(seen.contains("How much is my bill?") && seen.contains("a bill"), "{seen}");
    assert_eq!(session.send("Thanks.").await.unwrap().into_text().unwrap(), "Bye.");
    assert_eq!(session.tasks(), 2);
    session.rewind(2).unwrap();
    assert_eq!(session.messages().len(), 0);
}

#[tokio::test]
async fn a_failure_after_a_hand_off_restores_the_session() {
    let broken = MockModel::new().error(windlass_stream::ModelErrorKind::Refused, "no such model");
    let billing = Agent::builder().model(broken, "billing-1").build().unwrap();
    let mut session = triage(&billing).session();
    let error = session.send("How much?").await.unwrap_err();
    assert!(matches!(error, AgentError::Failed { .. }), "{error}");
    assert_eq!((session.messages().len(), session.tasks()), (0, 0));
}

#[tokio::test]
async fn a_hand_off_outside_of_a_session_is_refused() {
    let billing = Agent::builder().model(MockModel::new(), "billing-1").build().unwrap();
    let report = triage(&billing).run("How much?").await.unwrap();
    assert_eq!(report.text(), Some("never asked"));
    let conversation = serde_json::to_string(report.transcript.messages()).unwrap();
    assert!(conversation.contains("only the agent of a session"));
}

/// An agent whose only call waits until it is stopped.
fn sleeper(wait: &Arc<Counting>) -> Agent {
    let model = MockModel::new().call("wait", json!({})).text("it went on");
    let tools = Toolbox::builder().tool(wait.clone()).build().unwrap();
    Agent::builder().model(model, "sleeper-1").toolbox(tools).build().unwrap()
}

#[tokio::test]
async fn one_call_of_a_sub_agent_is_stopped_and_the_agent_continues() {
    let wait = Arc::new(Counting::new("wait", Hints::default(), Effect::Internal));
    let inner = sleeper(&wait).as_tool("inner", "Waits.").unwrap();
    let model = MockModel::new().call("inner", json!({"task": "wait"})).text("inner is done");
    let outer = Agent::builder().model(model, "outer-1").toolbox(toolbox(inner)).build().unwrap();
    let agent = caller(outer.as_tool("billing", "Delegates.").unwrap());
    let agent = agent.approver(windlass_agent::ApproveAll).build().unwrap();
    let calls = RunningCalls::default();
    let mut stream = agent.stream_with("go", RunOptions::default().with_running_calls(calls.clone()));
    let (mut stopped, mut ended, mut last) = (0, Vec::new(), None);
    while let Some(event) = stream.next().await {
        match event.unwrap() {
            Event::AgentEvent { call: root, agents, happened } => {
                let Ok(event) = serde_json::from_value::<Event>(happened) else { continue };
                match event {
                    Event::CallRunning { call } if agents == ["billing", "inner"] => {
                        assert!(
                            !calls.stop_in(&root, &["inner".to_owned()], &call),
                            "the path is another one"
                        );
                        let other = CallId::new("other").unwrap();
                        assert!(!calls.stop_in(&other, &agents, &call), "the root's call is another one");
                        let (calls, agents) = (calls.clone(), agents.clone());
                        stopped += 1;
                        tokio::spawn(async move {
                            // The event precedes the start of the call.
                            while !calls.stop_in(&root, &agents, &call) {
                                tokio::task::yield_now().await;
                            }
                        });
                    }
                    Event::CallEnded { result } => ended.push((agents, result.status)),
                    _ => {}
                }
            }
            Event::Finished { outcome, .. } => last = Some(outcome),
            _ => {}
        }
    }
    let path = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(stopped, 1);
    assert_eq!(
        ended,
        [(path(&["billing", "inner"]), ResultStatus::Cancelled), (path(&["billing"]), ResultStatus::Ok)],
        "the agents' own calls go on"
    );
    assert_eq!(last, Some(Outcome::Completed { text: "all done".into() }));
}

#[tokio::test]
async fn answers_of_a_sub_agent_have_the_cost_of_its_own_model() {
    let prices = |input| Prices { input, output: input, ..Prices::default() };
    let usage = Usage { input_tokens: 1_000_000, ..Usage::default() };
    let dear = MockModel::new().text("paid").usage(1_000_000, 0);
    let budget = |input| Budget { prices: prices(input), ..Budget::default() };
    let billing = Agent::builder().model(dear, "dear-1").budget(budget(7_000_000)).build().unwrap();
    let agent = caller(billing.as_tool("billing", "Pays.").unwrap()).budget(budget(1_000_000));
    let agent = agent.approver(windlass_agent::ApproveAll).build().unwrap();
    let shown = events(agent.stream("go")).await;
    let nested = shown.iter().find_map(|event| match event {
        Event::AgentEvent { happened, .. } => match serde_json::from_value(happened.clone()).ok()? {
            Event::AnswerEnded { cost, total_cost, .. } => Some((cost, total_cost)),
            _ => None,
        },
        _ => None,
    });
    let cost = prices(7_000_000).cost(&usage);
    assert!(cost > prices(1_000_000).cost(&usage));
    assert_eq!(nested, Some((cost, cost)));
}
