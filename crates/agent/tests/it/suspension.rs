//! Runs that wait without a process, and inputs to runs that work.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::StreamExt;
use windlass_agent::{
    Agent, Answers, ApproveAll, ApproverReply, DeliverAt, Entry, Event, MessageReceiver, Outcome, RunOptions,
    StoredAnswers, UnansweredPolicy, Wait, open_approvals,
};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_journal::{Journal, Record};
use windlass_protocol::{
    CallId, Effect, Hints, Payload, PlannedFile, ReconcileOutcome, ResultStatus, TargetKind, ToolName,
    ToolResult, ToolSpec,
};
use windlass_tool::{Context, Inspection, Tool, ToolError, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};
use windlass_tools_control::AttemptCompletion;

use crate::scene::{Scene, Shared, Way, events, way, ways};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "look", "arguments": {"n": 1}}}, {"call": {"name": "change", "arguments": {"n": 1}}},
        {"call": {"name": "change", "arguments": {"n": 2}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

fn suspending(scene: &Scene) -> windlass_agent::AgentBuilder {
    scene.builder().on_unanswered(UnansweredPolicy::Suspend)
}

fn questions(journal: &Shared) -> Vec<ApprovalRequest> {
    let records = journal.records().unwrap();
    let asked = |record: &Record| match record.read::<Entry>().unwrap() {
        Entry::Asked { request } => Some(*request),
        _ => None,
    };
    records.iter().filter_map(asked).collect()
}

// DESIGN "Suspend anywhere": approvals in any order and any subset, from processes that know only the record.
#[tokio::test]
async fn a_suspended_run_resumes_with_any_subset_of_stored_answers() {
    for way in ways() {
        let journal = Shared::default();
        let scene = Scene::new(SCRIPT, way.clone());
        let options = || RunOptions::default().with_journal(journal.clone());
        let report =
            suspending(&scene).build().unwrap().stream_with("task", options()).report().await.unwrap();
        let Outcome::Suspended { waits } = report.outcome else { panic!("{:?}", report.outcome) };
        assert_eq!(waits.len(), 2);
        assert_eq!(scene.read.calls.load(Ordering::SeqCst), 1, "what needs no yes has run");

        let asked = questions(&journal);
        assert_eq!(asked.len(), 2);
        assert_eq!(open_approvals(&journal.records().unwrap()).unwrap(), asked);
        let mut runs = 0;
        for (question, left) in asked.iter().rev().zip([1, 0]) {
            let yes = ApprovalDecision::approve(question.request_id.clone());
            let nobody = Answers::new([ApproverReply::Nobody, ApproverReply::Nobody]);
            let approver = StoredAnswers::new(nobody.clone()).with_answer(yes, question.digest.clone());
            let agent = suspending(&scene).approver(approver).build().unwrap();
            let report = agent.resume(options()).unwrap().report().await.unwrap();
            runs += 1;
            assert_eq!(scene.write.calls.load(Ordering::SeqCst), runs);
            assert_eq!(nobody.requests().len(), left, "only what has no answer is asked");
            assert_eq!(open_approvals(&journal.records().unwrap()).unwrap().len(), left);
            match report.outcome {
                Outcome::Suspended { waits } => assert_eq!(waits.len(), left),
                other => assert_eq!((other, left), (Outcome::Completed { text: "done".into() }, 0)),
            }
        }
        assert_eq!(questions(&journal).len(), 2, "each question is on record once");
    }
}

// H4: an answer is bound to the request that was shown.
#[tokio::test]
async fn a_stored_answer_to_something_else_does_not_count() {
    let journal = Shared::default();
    let scene = Scene::new(SCRIPT, way());
    let options = || RunOptions::default().with_journal(journal.clone());
    drop(suspending(&scene).build().unwrap().stream_with("task", options()).report().await.unwrap());
    let asked = questions(&journal);
    let yes = ApprovalDecision::approve(asked[0].request_id.clone());
    let approver = StoredAnswers::new(Answers::default()).with_answer(yes, asked[1].digest.clone());
    let agent = suspending(&scene).approver(approver).build().unwrap();
    let report = agent.resume(options()).unwrap().report().await.unwrap();
    assert!(matches!(report.outcome, Outcome::Suspended { waits } if waits.len() == 2));
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 0);
}

/// A job of another system, and a change of a file that can state afterwards whether it was made.
struct Elsewhere {
    spec: ToolSpec,
    aftermath: ReconcileOutcome,
}

impl Elsewhere {
    fn new(name: &str, aftermath: ReconcileOutcome) -> Self {
        let schema = r#"{"type":"object"}"#.parse().unwrap();
        Self { spec: ToolSpec::function(ToolName::new(name).unwrap(), "A tool.", schema), aftermath }
    }
}

impl Tool for Elsewhere {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::default()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn inspect(&self, _: &Payload) -> Inspection {
        let target =
            windlass_protocol::Target { kind: TargetKind::File, ..windlass_protocol::Target::missing("a") };
        let planned = PlannedFile::new("a", None, Some("after".into()));
        Inspection::default().with_target(target).with_planned([planned])
    }

    fn aftermath(&self, planned: &[PlannedFile]) -> ReconcileOutcome {
        assert_eq!(planned, [PlannedFile::new("a", None, Some("after".into()))]);
        self.aftermath.clone()
    }

    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async { Err(ToolError::Deferred) })
    }
}

const JOB: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "job-1", "name": "job", "arguments": {}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

fn with_job(model: &Way, aftermath: ReconcileOutcome) -> Agent {
    let tools: [Arc<dyn Tool>; 2] =
        [Arc::new(Elsewhere::new("job", aftermath)), Arc::new(AttemptCompletion::default())];
    let toolbox = Toolbox::builder().tools(tools).config(ToolConfig::new(Preset::Full)).build().unwrap();
    let builder = Agent::builder().model(model.model(JOB), "scripted-1").approver(ApproveAll);
    builder.toolbox(toolbox).build().unwrap()
}

#[tokio::test]
async fn a_deferred_call_waits_without_a_process() {
    let journal = Shared::default();
    let options = || RunOptions::default().with_journal(journal.clone());
    let agent = with_job(&way(), ReconcileOutcome::Unknown);
    let report = agent.stream_with("task", options()).report().await.unwrap();
    let Outcome::Suspended { waits } = report.outcome else { panic!("{:?}", report.outcome) };
    let [Wait::Result { call }] = &waits[..] else { panic!("{waits:?}") };
    let report = agent.resume(options()).unwrap().report().await.unwrap();
    assert_eq!(report.outcome, Outcome::Suspended { waits: waits.clone() }, "its result has not come");
    let result = ToolResult::text(call.clone(), ResultStatus::Ok, "built elsewhere");
    let stray = ToolResult::text(CallId::new("other").unwrap(), ResultStatus::Ok, "nobody waits for this");
    let report = agent.resume(options().with_results([stray, result])).unwrap().report().await.unwrap();
    assert_eq!(report.text(), Some("done"));
    let records = journal.records().unwrap();
    assert!(records.iter().any(|record| record.body.as_str().contains("built elsewhere")));
    assert!(!records.iter().any(|record| record.body.as_str().contains("nobody waits")));
}

// SECURITY "Journal": the files show whether an interrupted call was done.
#[tokio::test]
async fn the_tool_reconciles_an_interrupted_call() {
    for (aftermath, status) in
        [(ReconcileOutcome::Done, "\"status\":\"ok\""), (ReconcileOutcome::Unknown, "effects_unknown")]
    {
        let journal = Shared::default();
        let options = || RunOptions::default().with_journal(journal.clone());
        let agent = with_job(&way(), aftermath);
        drop(agent.stream_with("task", options()).report().await.unwrap());
        // The record ends as if the process had ended between the intent and the result of the call.
        let records = journal.records().unwrap();
        let cut = records.iter().position(|record| record.body.as_str().contains("\"intent\"")).unwrap();
        let before = Shared::default();
        for record in &records[..=cut] {
            before.clone().append(record.body.clone(), 0, windlass_journal::Durability::Buffered).unwrap();
        }
        let report =
            agent.resume(RunOptions::default().with_journal(before.clone())).unwrap().report().await.unwrap();
        assert_eq!(report.text(), Some("done"));
        let told = before
            .records()
            .unwrap()
            .iter()
            .map(|record| record.body.as_str().to_owned())
            .find(|body| body.contains("\"entry\":\"result\""));
        assert!(told.unwrap().contains(status));
    }
}

#[tokio::test]
async fn messages_during_a_run_and_the_next_task_reach_the_model() {
    let script = r#"{"turns": [
        {"steps": [{"call": {"name": "look", "arguments": {"n": 1}}}]},
        {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "first"}}}]},
        {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "second"}}}]}]}"#;
    for way in ways() {
        let scene = Scene::new(script, way);
        let (sender, messages) = MessageReceiver::channel();
        sender.send("be brief", DeliverAt::NextTurn).await.unwrap();
        sender.send("then the changelog", DeliverAt::AfterTask).await.unwrap();
        let options = RunOptions::default().with_messages(messages);
        let told = events(scene.builder().build().unwrap().stream_with("task", options)).await;
        let said: Vec<_> = told
            .iter()
            .filter_map(|event| if let Event::Said { text } = event { Some(text) } else { None })
            .collect();
        assert_eq!(said, ["be brief", "then the changelog"]);
        let done = told.iter().filter(|event| matches!(event, Event::TaskCompleted { .. })).count();
        assert_eq!(done, 2);
        assert!(sender.send("too late", DeliverAt::NextTurn).await.is_err());
    }
}

// The sender keeps its messages until the run has them on record, and was killed before it removed one.
#[tokio::test]
async fn a_message_sent_twice_under_one_id_is_delivered_once() {
    let scene = Scene::new(SCRIPT, way());
    let journal = Shared::default();
    let (sender, messages) = MessageReceiver::channel();
    sender.send_once("m1", "be brief", DeliverAt::NextTurn).await.unwrap();
    let options = RunOptions::default().with_journal(journal.clone()).with_messages(messages);
    let mut stream = scene.builder().approver(ApproveAll).build().unwrap().stream_with("task", options);
    while !matches!(stream.next().await.unwrap().unwrap(), Event::MessageQueued { .. }) {}
    drop(stream);

    let (sender, messages) = MessageReceiver::channel();
    sender.send_once("m1", "be brief", DeliverAt::NextTurn).await.unwrap();
    sender.send_once("m2", "and quick", DeliverAt::NextTurn).await.unwrap();
    let options = RunOptions::default().with_journal(journal).with_messages(messages);
    let told = events(scene.builder().approver(ApproveAll).build().unwrap().resume(options).unwrap()).await;
    assert!(told.contains(&Event::MessageRepeated { id: "m1".into() }), "{told:?}");
    let said: Vec<_> = told
        .iter()
        .filter_map(|event| if let Event::Said { text } = event { Some(text) } else { None })
        .collect();
    assert_eq!(said, ["be brief", "and quick"]);
}

#[tokio::test]
async fn a_run_suspended_at_its_budget_resumes_with_the_stored_answer() {
    let journal = Shared::default();
    let scene = Scene::new(SCRIPT, way());
    let budget = windlass_agent::Budget { requests: 1, ..Default::default() };
    let options = || RunOptions::default().with_journal(journal.clone());
    let agent = || suspending(&scene).approver(ApproveAll).budget(budget.clone()).build().unwrap();
    let report = agent().stream_with("task", options()).report().await.unwrap();
    assert!(
        matches!(report.outcome, Outcome::Suspended { waits } if matches!(waits[..], [Wait::InterruptReply { .. }]))
    );
    let mut stream = agent().resume(options().with_guidance("yes")).unwrap();
    let mut last = None;
    while let Some(event) = stream.next().await {
        last = Some(event.unwrap());
    }
    assert!(matches!(last, Some(Event::Finished { outcome: Outcome::Completed { .. }, .. })));
}

// Correctness 1: a text that was stored for one question does not answer another question.
#[tokio::test]
async fn guidance_for_a_question_that_is_not_repeated_emits_answer_refused() {
    let journal = Shared::default();
    let scene = Scene::new(SCRIPT, way());
    let agent = |requests| {
        let budget = windlass_agent::Budget { requests, ..Default::default() };
        suspending(&scene).approver(ApproveAll).budget(budget).build().unwrap()
    };
    let options = || RunOptions::default().with_journal(journal.clone());
    drop(agent(1).stream_with("task", options()).report().await.unwrap());
    // The limit is higher now, so this question does not come again. A later question about it does.
    let told = events(agent(2).resume(options().with_guidance("yes")).unwrap()).await;
    let refused = told.iter().filter(|event| matches!(event, Event::AnswerRefused { .. })).count();
    assert_eq!(refused, 1);
    assert!(matches!(
        told.last(),
        Some(Event::Finished { outcome: Outcome::Completed { .. } | Outcome::Suspended { .. }, .. })
    ));
}

// F38: the waiting time of a question is measured by a monotonic clock, whatever the recorded times are.
#[tokio::test(start_paused = true)]
async fn a_wall_clock_that_jumps_makes_no_question_end_early_or_late() {
    const HOUR_MS: u64 = 3_600_000;
    for jump in [-1_i64, 0, 1] {
        let journal = Shared::default();
        let scene = Scene::new(SCRIPT, way());
        let options = |journal: &Shared| RunOptions::default().with_journal(journal.clone());
        drop(
            suspending(&scene)
                .build()
                .unwrap()
                .stream_with("task", options(&journal))
                .report()
                .await
                .unwrap(),
        );
        let jumped = Shared::default();
        for (number, record) in journal.records().unwrap().iter().enumerate() {
            // Every other record is of another hour.
            let hours = if number % 2 == 0 { jump } else { 0 };
            let at_ms = record.at_ms.saturating_add_signed(hours * i64::try_from(HOUR_MS).unwrap());
            jumped
                .clone()
                .append(record.body.clone(), at_ms, windlass_journal::Durability::Buffered)
                .unwrap();
        }
        let agent = scene
            .builder()
            .approver(Answers::new([ApproverReply::Wait, ApproverReply::Wait]))
            .build()
            .unwrap();
        let began = tokio::time::Instant::now();
        let mut stream = agent.resume(options(&jumped)).unwrap();
        let mut waited = Vec::new();
        while let Some(event) = stream.next().await {
            if let Event::ApprovalEnded { outcome: windlass_hitl::ApprovalOutcome::TimedOut { .. } } =
                event.unwrap()
            {
                waited.push(began.elapsed().as_secs());
            }
        }
        assert_eq!(waited, [300, 300], "a jump of {jump} hours");
    }
}
