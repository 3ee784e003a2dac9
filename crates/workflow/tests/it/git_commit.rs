//! The built-in `git_commit` on a real repository: whole, interrupted everywhere, and without a human.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::tempdir;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use windlass_agent::{Answers, ApproverReply, Entry, Event, StoredAnswers};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_journal::{FileJournals, Journals};
use windlass_protocol::Hints;
use windlass_tool::Output;
use windlass_workflow::{WorkflowEvent, WorkflowOptions, WorkflowOutcome, git_commit};

use crate::repository::{EXPECTED, Repository, analyzer};
use crate::scene::{Fake, NotThere, Store, hands, run, runner};

fn options() -> WorkflowOptions {
    WorkflowOptions::default()
}

fn is_done(outcome: &WorkflowOutcome) -> bool {
    matches!(outcome, WorkflowOutcome::Completed { .. })
}

#[tokio::test]
async fn it_makes_the_planned_commits() {
    let (repository, analyzer) = (Repository::new(), analyzer());
    let runner = runner(hands(vec![repository.tool(), analyzer.clone()]), Store::default());
    let outcome = run(&runner, &git_commit(), &options()).await.unwrap();
    assert!(is_done(&outcome), "{outcome:?}");
    assert_eq!(repository.commits(), EXPECTED);
    assert_eq!(analyzer.calls(), 3);
}

// H2: a denied plan is not executed.
#[tokio::test]
async fn a_denied_plan_commits_nothing_and_returns_the_comment() {
    let (repository, analyzer) = (Repository::new(), analyzer());
    let before = repository.commits();
    let answers =
        [ApproverReply::Approve, ApproverReply::Approve, ApproverReply::Approve, ApproverReply::Approve]
            .into_iter()
            .chain([ApproverReply::Deny(Some("one commit, please".into()))]);
    let answers = Answers::new(answers);
    let hands = hands(vec![repository.tool(), analyzer]).approver(answers.clone());
    let outcome = run(&runner(hands, Store::default()), &git_commit(), &options()).await.unwrap();
    let WorkflowOutcome::Failed { step, message } = outcome else { panic!("{outcome:?}") };
    assert_eq!((step.as_str(), message.as_str()), ("approve", "the human did not agree: one commit, please"));
    assert_eq!(repository.commits(), before);
    let asked = answers.requests();
    let plan = asked.last().unwrap();
    assert_eq!(plan.tool.as_str(), "workflow_approval");
    assert!(plan.call.payload.text().contains("Document two"), "the plan is shown whole");
}

/// Runs until a record is about to be written, simulates the death of the process at this point, and resumes the run.
async fn killed_at(at: usize) -> Result<(), String> {
    let (repository, analyzer, store) = (Repository::new(), analyzer(), Store::default());
    let hands = || hands(vec![repository.tool(), analyzer.clone()]);
    let killed = run(&runner(hands(), store.failing_at(Some(at))), &git_commit(), &options()).await;
    if killed.is_ok() {
        return Err(format!("killed at {at}: it did not die"));
    }
    let outcome = run(&runner(hands(), store.clone()), &git_commit(), &options()).await;
    check(&format!("killed at {at}"), &outcome.map_err(|error| error.to_string())?, &repository, &analyzer)
}

fn check(
    what: &str,
    outcome: &WorkflowOutcome,
    repository: &Repository,
    analyzer: &Fake,
) -> Result<(), String> {
    if !is_done(outcome) {
        return Err(format!("{what}: {outcome:?}"));
    }
    if repository.commits() != EXPECTED {
        return Err(format!("{what}: {}", repository.commits()));
    }
    if analyzer.calls() != 3 {
        return Err(format!("{what}: the agents were asked {} times", analyzer.calls()));
    }
    Ok(())
}

// R6, issue 8 "Must be shown" 5: after a resume from any record, no commit and no step is repeated.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_every_record_it_makes_the_same_commits() {
    let (repository, store) = (Repository::new(), Store::default());
    let whole = runner(hands(vec![repository.tool(), analyzer()]), store.clone());
    assert!(is_done(&run(&whole, &git_commit(), &options()).await.unwrap()));
    let records = store.len();
    assert!(records > 100, "{records}");
    let mut runs: JoinSet<Result<(), String>> = JoinSet::new();
    let mut failed = Vec::new();
    for at in 0..records {
        if runs.len() >= 4 {
            failed.extend(runs.join_next().await.unwrap().unwrap().err());
        }
        runs.spawn(killed_at(at));
    }
    while let Some(end) = runs.join_next().await {
        failed.extend(end.unwrap().err());
    }
    assert!(failed.is_empty(), "{} of {records}:\n{}", failed.len(), failed.join("\n"));
}

// Each process writes a number of records and dies, until one completes the run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_again_and_again_it_makes_the_same_commits() {
    for each in [41, 47, 53] {
        let (repository, analyzer, store) = (Repository::new(), analyzer(), Store::default());
        let mut processes = 0;
        let outcome = loop {
            processes += 1;
            assert!(processes < 100, "{each} records each are enough to come on");
            let hands = hands(vec![repository.tool(), analyzer.clone()]);
            let dies = store.failing_at(Some(store.len() + each));
            if let Ok(outcome) = run(&runner(hands, dies), &git_commit(), &options()).await {
                break outcome;
            }
        };
        check(&format!("{each} records each"), &outcome, &repository, &analyzer).unwrap();
        assert!(processes > 2, "{processes}");
    }
}

#[tokio::test]
async fn an_empty_commit_asks_no_question() {
    let repository = Repository::new();
    let nothing =
        |_: &serde_json::Map<String, serde_json::Value>| Ok(Output::text(r#"{"groups": [], "commits": []}"#));
    let analyzer = Fake::new("sub_agent_code_analyzer", Hints::default(), nothing);
    let before = repository.commits();
    // A question about the plan would suspend the run.
    let hands = hands(vec![repository.tool(), analyzer]).approver(NotThere);
    let outcome = run(&runner(hands, Store::default()), &git_commit(), &options()).await.unwrap();
    let WorkflowOutcome::Completed { output } = outcome else { panic!("{outcome:?}") };
    assert_eq!(output, serde_json::json!({"plan": [], "commits": null}));
    assert_eq!(repository.commits(), before);
}

/// Drops the run after a number of calls have started, and resumes it.
async fn dropped_at(call: usize) -> Result<bool, String> {
    let (repository, analyzer, store) = (Repository::new(), analyzer(), Store::default());
    let hands = || hands(vec![repository.tool(), analyzer.clone()]);
    let (begun, reached) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let tell = reached.clone();
    let listening = options().with_listener(move |event| {
        let is_begun = matches!(event, WorkflowEvent::Call { event, .. } if matches!(**event, Event::CallRunning { .. }));
        if is_begun && begun.fetch_add(1, Ordering::SeqCst) == call {
            tell.notify_one();
        }
    });
    let (first, workflow) = (runner(hands(), store.clone()), git_commit());
    tokio::select! {
        biased;
        () = reached.notified() => {}
        outcome = run(&first, &workflow, &listening) => {
            return outcome.map(|_| false).map_err(|error| error.to_string());
        }
    }
    let outcome = run(&runner(hands(), store.clone()), &git_commit(), &options()).await;
    let outcome = outcome.map_err(|error| format!("dropped in call {call}: {error}"))?;
    check(&format!("dropped in call {call}"), &outcome, &repository, &analyzer).map(|()| true)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropped_in_every_call_it_makes_the_same_commits() {
    let (mut call, mut failed) = (0, Vec::new());
    loop {
        match dropped_at(call).await {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => failed.push(error),
        }
        call += 1;
    }
    assert!(call >= 13, "every call was met: {call}");
    assert!(failed.is_empty(), "{} of {call}:\n{}", failed.len(), failed.join("\n"));
}

fn open_question(store: &Store) -> ApprovalRequest {
    let asked = |entry: Entry| match entry {
        Entry::Asked { request } => Some(*request),
        _ => None,
    };
    store.of("run/approve.1").iter().find_map(|record| asked(record.read().unwrap())).unwrap()
}

// DESIGN "Suspend anywhere": the answer comes from a process that knows only the records.
#[tokio::test]
async fn an_unanswered_approval_suspends_and_can_be_answered_later() {
    let (repository, analyzer, store) = (Repository::new(), analyzer(), Store::default());
    let before = repository.commits();
    let hands = || hands(vec![repository.tool(), analyzer.clone()]);
    for _ in 0..2 {
        let outcome =
            run(&runner(hands().approver(NotThere), store.clone()), &git_commit(), &options()).await;
        let WorkflowOutcome::Suspended { waits } = outcome.unwrap() else { panic!("it waits") };
        assert_eq!(waits.iter().map(|wait| wait.step.as_str()).collect::<Vec<_>>(), ["approve"]);
    }
    assert_eq!(repository.commits(), before, "nothing was done");
    let question = open_question(&store);
    let yes = ApprovalDecision::approve(question.request_id.clone());
    let stored = StoredAnswers::new(NotThere).with_answer(yes, question.digest);
    let outcome = run(&runner(hands().approver(stored), store.clone()), &git_commit(), &options()).await;
    check("answered", &outcome.unwrap(), &repository, &analyzer).unwrap();
    let records = store.len();
    let again = run(&runner(hands(), store.clone()), &git_commit(), &options()).await.unwrap();
    assert!(is_done(&again));
    assert_eq!(store.len(), records, "what is over is only read");
}

#[test]
fn journals_of_steps_lie_below_the_one_of_the_run() {
    let folder = tempdir().unwrap();
    let journals = FileJournals::new(folder.path());
    drop(journals.open("run").unwrap());
    drop(journals.open("run/commit[0].add.1").unwrap());
    assert!(journals.path("run/commit[0].add.1").starts_with(journals.path("run").parent().unwrap()));
}
