//! Questions of agents come to the human of the root, who sees who asks (RULES H13).

use std::sync::atomic::Ordering;

use serde_json::json;
use windlass_agent::{
    Answers, ApproverReply, Outcome, RunLimits, RunOptions, StoredAnswers, UnansweredPolicy, Wait,
};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_journal::Journals as _;
use windlass_protocol::ResultStatus;

use crate::scene::{Cast, Scene, Shared, agent, calls, ended, hand, says};

fn one_child() -> (std::sync::Arc<Cast>, Scene) {
    let cast = Cast::new([
        ("root", vec![calls([hand("h", "sub_agent_child")]), says("done")]),
        ("child", vec![calls([("w", "write_file", json!({}))]), says("tried")]),
    ]);
    let scene = Scene::new(cast.clone(), [agent("child")]);
    (cast, scene)
}

#[tokio::test]
async fn an_approval_at_the_root_runs_the_call() {
    let (cast, scene) = one_child();
    let answers = Answers::new([ApproverReply::Approve]);
    ended(scene.builder().approver(answers.clone()).build().unwrap().stream("task")).await;
    let asked = answers.requests();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].agents, ["child"]);
    assert_eq!(scene.write.ended.load(Ordering::SeqCst), 1);
    assert_eq!(cast.told("child"), "fine");
}

// R2: a comment is in the result of the call that it was given to.
#[tokio::test]
async fn a_denial_comment_is_sent_to_the_agent_of_the_call() {
    let (cast, scene) = one_child();
    let answers = Answers::new([ApproverReply::Deny(Some("not before noon".into()))]);
    ended(scene.builder().approver(answers).build().unwrap().stream("task")).await;
    assert!(cast.told("child").contains("not before noon"), "{}", cast.told("child"));
    assert!(!cast.told("root").contains("not before noon"));
    assert_eq!(scene.write.began.load(Ordering::SeqCst), 0);
}

// H12: a question without an answer in time is denied with a reason of its own.
#[tokio::test(start_paused = true)]
async fn an_unanswered_question_times_out_without_a_call() {
    let (_, scene) = one_child();
    let limits = RunLimits { approval_timeout_ms: 1_000, ..RunLimits::default() };
    let root = scene.builder().approver(Answers::new([ApproverReply::Wait])).limits(limits).build().unwrap();
    let (_, events) = ended(root.stream("task")).await;
    let timed_out = events.iter().any(|event| match event {
        windlass_agent::Event::AgentEvent { happened, .. } => {
            happened["result"]["status"] == serde_json::to_value(ResultStatus::TimedOut).unwrap()
        }
        _ => false,
    });
    assert!(timed_out);
    assert_eq!(scene.write.began.load(Ordering::SeqCst), 0);
}

// SUB-005: a permission of an agent for its session does not apply to its caller or to another agent.
#[tokio::test]
async fn a_grant_of_an_agent_is_its_own() {
    let cast = Cast::new([
        (
            "root",
            vec![
                calls([hand("h1", "sub_agent_child")]),
                calls([("w", "write_file", json!({}))]),
                calls([hand("h2", "sub_agent_child")]),
                says("done"),
            ],
        ),
        (
            "child",
            vec![
                calls([("w1", "write_file", json!({}))]),
                calls([("w2", "write_file", json!({}))]),
                says("done"),
            ],
        ),
    ]);
    let scene = Scene::new(cast, [agent("child")]);
    let answers = Answers::new([ApproverReply::Remember, ApproverReply::Approve, ApproverReply::Remember]);
    ended(scene.builder().approver(answers.clone()).build().unwrap().stream("task")).await;
    let asked: Vec<Vec<String>> = answers.requests().iter().map(|request| request.agents.clone()).collect();
    let (child, root) = (vec!["child".to_owned()], Vec::new());
    assert_eq!(asked, [child.clone(), root, child], "each asks for itself, and the second time it need not");
    assert_eq!(scene.write.ended.load(Ordering::SeqCst), 5);
}

/// Returns the questions in the records of agents.
fn questions(scene: &Scene) -> Vec<ApprovalRequest> {
    let keys = scene.journals.keys();
    let records = keys.iter().flat_map(|key| scene.journals.open(key).unwrap().records().unwrap());
    let asked = records.filter_map(|record| match record.read::<windlass_agent::Entry>().unwrap() {
        windlass_agent::Entry::Asked { request } => Some(*request),
        _ => None,
    });
    asked.collect()
}

// DESIGN "Ahead of everyone" 5: questions of agents can be answered in any order and from any process.
#[tokio::test]
async fn a_question_of_an_agent_can_be_answered_when_nothing_runs() {
    let cast = Cast::new([
        ("root", vec![calls([hand("h1", "sub_agent_one"), hand("h2", "sub_agent_two")]), says("done")]),
        ("one", vec![calls([("w", "write_file", json!({}))]), says("one is done")]),
        ("two", vec![calls([("w", "write_file", json!({}))]), says("two is done")]),
    ]);
    let scene = Scene::new(cast.clone(), [agent("one"), agent("two")]);
    let journal = Shared::default();
    let options = || RunOptions::default().with_journal(journal.clone()).with_run_id("run-1");
    let suspending = || scene.builder().on_unanswered(UnansweredPolicy::Suspend);
    let (outcome, _) = ended(suspending().build().unwrap().stream_with("task", options())).await;
    let Outcome::Suspended { waits } = outcome else { panic!("{outcome:?}") };
    assert!(waits.iter().all(|wait| matches!(wait, Wait::Result { .. })), "{waits:?}");
    assert_eq!(waits.len(), 2);

    let mut asked = questions(&scene);
    asked.sort_by_key(|request| std::cmp::Reverse(request.agents.clone()));
    assert_eq!(asked.len(), 2);
    for (answered, question) in asked.iter().enumerate() {
        let yes = ApprovalDecision::approve(question.request_id.clone());
        let approver = StoredAnswers::new(windlass_agent::DenyAll).with_answer(yes, question.digest.clone());
        let root = suspending().approver(approver).build().unwrap();
        let (outcome, _) = ended(root.resume(options()).unwrap()).await;
        assert_eq!(scene.write.ended.load(Ordering::SeqCst), answered + 1);
        match outcome {
            Outcome::Suspended { waits } => assert_eq!((waits.len(), answered), (1, 0)),
            other => assert_eq!((other, answered), (Outcome::Completed { text: "done".into() }, 1)),
        }
    }
    assert_eq!(cast.told("root"), "one is done\ntwo is done");
    assert_eq!(questions(&scene).len(), 2, "each question is on record once");
}
