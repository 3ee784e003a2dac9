//! A permission for the session applies to every run of it, also to a resumed run.

use std::sync::atomic::Ordering;

use windlass_agent::{Answers, ApproverReply, Outcome, RunOptions, SharedGrants, UnansweredPolicy};
use windlass_journal::{Durability, Journal};

use crate::scene::{Scene, Shared, way};

/// Two calls of the same shape.
const TWICE: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "w1", "name": "change", "arguments": {"n": 1}}}]},
    {"steps": [{"call": {"id": "w2", "name": "change", "arguments": {"n": 2}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

// Library B7/F9: a chat makes one run of each message.
#[tokio::test]
async fn a_grant_holds_for_all_runs_of_a_session_and_for_no_others() {
    let grants = SharedGrants::default();
    let asked_in = async |grants: SharedGrants| {
        let scene = Scene::new(TWICE, way());
        let human = Answers::new([ApproverReply::Remember, ApproverReply::Remember]);
        let agent = scene.builder().approver(human.clone()).build().unwrap();
        let options = RunOptions::default().with_grants(grants);
        let report = agent.stream_with("task", options).report().await.unwrap();
        assert_eq!(report.text(), Some("done"));
        assert_eq!(scene.write.calls.load(Ordering::SeqCst), 2);
        human.requests().len()
    };
    assert_eq!(asked_in(grants.clone()).await, 1);
    assert_eq!(asked_in(grants.clone()).await, 0, "the second run knows the grant");
    let stored = serde_json::to_string(&grants.grants()).unwrap();
    assert_eq!(
        asked_in(SharedGrants::new(serde_json::from_str(&stored).unwrap())).await,
        0,
        "it can be stored"
    );
    assert_eq!(asked_in(SharedGrants::default()).await, 1, "another session asks");
    grants.clear();
    assert_eq!(asked_in(grants).await, 1, "what was taken back is asked again");
}

#[tokio::test]
async fn a_resumed_run_keeps_its_grants() {
    let journal = Shared::default();
    let scene = Scene::new(TWICE, way());
    let human = Answers::new([ApproverReply::Remember]);
    let agent = scene.builder().approver(human.clone()).build().unwrap();
    let options = |journal: &Shared| RunOptions::default().with_journal(journal.clone());
    drop(agent.stream_with("task", options(&journal)).report().await.unwrap());
    // As if the process had ended before the second call was decided.
    let records = journal.records().unwrap();
    let second = records
        .iter()
        .rposition(|record| record.body.as_str().contains("\"judged\",\"call\":\"w2\""))
        .unwrap();
    let mut cut = Shared::default();
    for record in &records[..second] {
        cut.append(record.body.clone(), record.at_ms, Durability::Buffered).unwrap();
    }
    let nobody = Answers::default();
    let agent =
        scene.builder().approver(nobody.clone()).on_unanswered(UnansweredPolicy::Suspend).build().unwrap();
    let report = agent.resume(options(&cut)).unwrap().report().await.unwrap();
    assert_eq!(report.outcome, Outcome::Completed { text: "done".into() });
    assert_eq!(nobody.requests().len(), 0);
}
