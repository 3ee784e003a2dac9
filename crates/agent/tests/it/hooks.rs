//! Hooks at every point of a run: vetoes, rewrites, questions, permits, panics and timeouts.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use windlass_agent::{
    Agent, AgentBuilder, AgentError, AnswerText, Answers, ApproverReply, DeliverAt, EndedCall, Event, Hook,
    HookAction, HookContext, HookFuture, HookPoint, HookVerdict, HookedCall, MessageReceiver, Outcome,
    Report, RequestEnd, RunOptions,
};
use windlass_hitl::{Objection, Policy, PolicyInput};
use windlass_journal::{Durability, Journal};
use windlass_mock::MockModel;
use windlass_protocol::{Arguments, Message, Part, Request, ResultStatus, ToolResult};
use windlass_redact::Redactor;

use crate::scene::{Scene, Shared, events, way};

type Log = Arc<Mutex<Vec<String>>>;

/// A hook whose points and verdict are data.
#[derive(Clone)]
struct Fake {
    name: &'static str,
    point: Vec<HookPoint>,
    verdict: Verdict,
    log: Log,
}

#[derive(Clone)]
enum Verdict {
    Continue,
    Veto(&'static str),
    /// A veto of values with this text.
    VetoOn(&'static str),
    Rewrite(&'static str),
    Ask(&'static str),
    Permit,
    Panic,
    Never,
}

impl Fake {
    fn new(name: &'static str, point: HookPoint, verdict: Verdict) -> Self {
        Self { name, point: vec![point], verdict, log: Log::default() }
    }

    fn seen(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    async fn decide<T>(&self, seen: String, rewrite: impl FnOnce(&'static str) -> T) -> HookVerdict<T> {
        self.log.lock().unwrap().push(format!("{} {seen}", self.name));
        match self.verdict {
            Verdict::VetoOn(text) if seen.contains(text) => HookVerdict::Veto(text.into()),
            Verdict::VetoOn(_) | Verdict::Continue => HookVerdict::Continue,
            Verdict::Veto(reason) => HookVerdict::Veto(reason.into()),
            Verdict::Rewrite(text) => HookVerdict::Rewrite(rewrite(text)),
            Verdict::Ask(reason) => HookVerdict::Ask(reason.into()),
            Verdict::Permit => HookVerdict::Permit,
            Verdict::Panic => "x".parse::<u32>().map(|_| HookVerdict::Continue).unwrap(),
            Verdict::Never => std::future::pending().await,
        }
    }
}

impl Hook for Fake {
    fn name(&self) -> &str {
        self.name
    }

    fn points(&self) -> &[HookPoint] {
        &self.point
    }

    fn check_input<'a>(
        &'a self,
        _: &'a HookContext,
        message: &'a Message,
    ) -> HookFuture<'a, HookVerdict<Message>> {
        Box::pin(self.decide(message.text(), Message::user))
    }

    fn check_request<'a>(
        &'a self,
        _: &'a HookContext,
        request: &'a Request,
    ) -> HookFuture<'a, HookVerdict<Request>> {
        let rewrite = |text: &str| {
            let mut request = request.clone();
            request.messages.push(Message::user(text));
            request
        };
        Box::pin(self.decide(request.messages.len().to_string(), rewrite))
    }

    fn observe_response<'a>(&'a self, _: &'a HookContext, end: &'a RequestEnd) -> HookFuture<'a, ()> {
        Box::pin(async move { drop(self.decide(format!("{:?}", end.error), |_| ()).await) })
    }

    fn check_answer<'a>(
        &'a self,
        _: &'a HookContext,
        answer: &'a AnswerText,
    ) -> HookFuture<'a, HookVerdict<String>> {
        Box::pin(self.decide(answer.text.clone(), str::to_owned))
    }

    fn check_call<'a>(
        &'a self,
        _: &'a HookContext,
        call: &'a HookedCall,
    ) -> HookFuture<'a, HookVerdict<Arguments>> {
        Box::pin(self.decide(call.call.payload.text(), |text| Arguments::parse(text).unwrap()))
    }

    fn check_result<'a>(
        &'a self,
        _: &'a HookContext,
        ended: &'a EndedCall,
    ) -> HookFuture<'a, HookVerdict<ToolResult>> {
        let call = windlass_protocol::CallId::new("another").unwrap();
        Box::pin(self.decide(ended.result.wire_text(), |text| ToolResult::text(call, ResultStatus::Ok, text)))
    }

    fn observe_end<'a>(&'a self, ctx: &'a HookContext, outcome: &'a Outcome) -> HookFuture<'a, ()> {
        let text = format!("{} {outcome}", ctx.run);
        Box::pin(async move { drop(self.decide(text, |_| ()).await) })
    }
}

const CALL: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "c1", "name": "change", "arguments": {"n": 1}}}]},
    {"steps": [{"text": "done"}]}]}"#;
const TEXT: &str =
    r#"{"turns": [{"steps": [{"text": "the code is 42"}]}, {"steps": [{"text": "no code"}]}]}"#;

fn builder(scene: &Scene, hooks: &[&Fake]) -> AgentBuilder {
    let builder = scene.builder().approver(Answers::new([ApproverReply::Approve, ApproverReply::Approve]));
    hooks.iter().fold(builder, |builder, hook| builder.hook((*hook).clone()))
}

fn result(report: &Report) -> ToolResult {
    let parts = report.transcript.messages().iter().flat_map(|message| &message.parts);
    let mut results =
        parts.filter_map(|part| if let Part::Result(result) = part { Some(result) } else { None });
    results.next_back().unwrap().clone()
}

/// Runs the script with one call and returns its result and how often it ran.
async fn call(hooks: &[&Fake], change: impl FnOnce(AgentBuilder) -> AgentBuilder) -> (ToolResult, usize) {
    let scene = Scene::new(CALL, way()).without_completion();
    let report = change(builder(&scene, hooks)).build().unwrap().run("go").await.unwrap();
    (result(&report), scene.write.calls.load(Ordering::SeqCst))
}

#[tokio::test]
async fn a_call_veto_is_a_denial_with_its_reason_and_skips_later_hooks() {
    let veto = Fake::new("audit", HookPoint::Call, Verdict::Veto("not today"));
    let after = Fake::new("after", HookPoint::Call, Verdict::Continue);
    let (result, ran) = call(&[&veto, &after], |builder| builder).await;
    assert_eq!((result.status, ran), (ResultStatus::Denied, 0));
    assert!(result.wire_text().contains("not today (rule hook.audit)"), "{}", result.wire_text());
    assert_eq!((veto.seen(), after.seen()), (vec![r#"audit {"n": 1}"#.to_owned()], vec![]));
}

#[tokio::test]
async fn hooks_are_called_in_order_and_each_sees_the_rewrite_before_it() {
    let first = Fake::new("first", HookPoint::Call, Verdict::Rewrite(r#"{"n":2}"#));
    let second = Fake { name: "second", verdict: Verdict::Continue, ..first.clone() };
    let human = Answers::new([ApproverReply::Approve]);
    let scene = Scene::new(CALL, way()).without_completion();
    let journal = Shared::default();
    let agent = builder(&scene, &[&first, &second]).approver(human.clone()).build().unwrap();
    let report = agent.run_with("go", RunOptions::default().with_journal(journal.clone())).await.unwrap();
    assert_eq!(first.seen(), [r#"first {"n": 1}"#, r#"second {"n":2}"#]);
    assert_eq!(human.requests()[0].call.payload.text(), r#"{"n":2}"#, "the human sees what runs");
    let text = result(&report).wire_text();
    assert!(text.starts_with(r#"The rule first changed the arguments of this call to {"n":2}"#), "{text}");
    let record = journal.records().unwrap();
    let hooks = record.iter().filter(|record| record.body.as_str().contains(r#""entry":"hook""#));
    assert_eq!(hooks.count(), 1);
}

#[tokio::test]
async fn a_rewrite_is_decided_again_and_lifts_no_denial_and_no_earlier_question() {
    let deny = |facts: &PolicyInput| facts.payload.text().contains('3').then(|| Objection::deny("no three"));
    let policy = Policy::default().with_check("three", deny).unwrap();
    let three = Fake::new("three", HookPoint::Call, Verdict::Rewrite(r#"{"n":3}"#));
    let (result, ran) = call(&[&three], |builder| builder.policy(policy)).await;
    assert_eq!((result.status, ran), (ResultStatus::Denied, 0));
    let two = Fake::new("two", HookPoint::Call, Verdict::Rewrite(r#"{"n":2}"#));
    let ask = Fake::new("ask", HookPoint::Call, Verdict::Ask("is it right?"));
    let human = Answers::new([ApproverReply::Deny(None)]);
    let (_, ran) = call(&[&ask, &two], |builder| builder.approver(human.clone())).await;
    assert_eq!((human.requests()[0].reason.text.as_str(), ran), ("is it right?", 0));
    assert!(!human.requests()[0].can_remember, "a question of a hook is asked each time");
}

#[tokio::test]
async fn only_a_hook_of_the_owner_permits_and_never_against_a_rule() {
    let permit = Fake::new("permit", HookPoint::Call, Verdict::Permit);
    let human = Answers::default();
    let (_, ran) = call(&[&permit], |builder| builder.approver(human.clone())).await;
    assert_eq!((human.requests().len(), ran), (1, 0));
    let human = Answers::default();
    let (_, ran) = call(&[], |builder| builder.approver(human.clone()).owner_hook(permit.clone())).await;
    assert_eq!((human.requests().len(), ran), (0, 1));
    let ask = Policy::default().with_check("must", |_| Some(Objection::ask("always"))).unwrap();
    let (_, ran) =
        call(&[], |builder| builder.approver(human.clone()).policy(ask).owner_hook(permit.clone())).await;
    assert_eq!((human.requests().len(), ran), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_guard_that_panics_or_takes_too_long_is_a_veto() {
    let (result, ran) = call(&[&Fake::new("p", HookPoint::Call, Verdict::Panic)], |builder| builder).await;
    assert!(result.wire_text().contains("it panicked") && ran == 0);
    let begun = tokio::time::Instant::now();
    let (result, ran) = call(&[&Fake::new("n", HookPoint::Call, Verdict::Never)], |builder| builder).await;
    assert!(result.wire_text().contains("did not answer in time") && ran == 0);
    assert!(begun.elapsed() >= Duration::from_secs(30));
    let short = |builder: AgentBuilder| builder.hook_timeout(Duration::from_millis(5));
    let (result, ran) = call(&[&Fake::new("n", HookPoint::Result, Verdict::Never)], short).await;
    assert!(result.status == ResultStatus::Error && ran == 1);
    assert!(result.wire_text().contains("withheld by the rule n"));
}

#[tokio::test(start_paused = true)]
async fn an_observer_that_panics_or_takes_too_long_changes_nothing() {
    for verdict in [Verdict::Panic, Verdict::Never] {
        for point in [HookPoint::Response, HookPoint::End] {
            let observer = Fake::new("o", point, verdict.clone());
            let (result, ran) = call(&[&observer], |builder| builder).await;
            assert_eq!((result.status, ran), (ResultStatus::Ok, 1));
            assert!(!observer.seen().is_empty());
        }
    }
}

#[tokio::test]
async fn a_result_can_be_rewritten_but_stays_the_result_of_its_call() {
    let (result, _) =
        call(&[&Fake::new("r", HookPoint::Result, Verdict::Rewrite("short"))], |builder| builder).await;
    assert_eq!((result.call.as_str(), result.wire_text().as_str()), ("c1", "short"));
}

#[tokio::test]
async fn a_task_with_a_veto_leaves_no_record_and_sends_no_request() {
    let scene = Scene::new(TEXT, way()).without_completion();
    let journal = Shared::default();
    let agent =
        builder(&scene, &[&Fake::new("cards", HookPoint::Input, Verdict::Veto("a card"))]).build().unwrap();
    let error =
        agent.run_with("4111", RunOptions::default().with_journal(journal.clone())).await.unwrap_err();
    assert!(matches!(&error, AgentError::Vetoed { hook, .. } if hook == "cards"), "{error}");
    assert_eq!(error.to_string(), "the rule cards refused the task: a card");
    assert_eq!(journal.records().unwrap().len(), 0);
    let mut session = agent.session();
    session.send("4111").await.unwrap_err();
    assert_eq!(session.messages().len(), 0);
}

#[tokio::test]
async fn a_rewritten_task_is_recorded_redacted() {
    let scene = Scene::new(TEXT, way()).without_completion();
    let agent =
        builder(&scene, &[&Fake::new("mask", HookPoint::Input, Verdict::Rewrite("pay with s3cr3t-card"))]);
    let agent = agent.redactor(Redactor::new(["s3cr3t-card".into()])).build().unwrap();
    let report = agent.run("4111").await.unwrap();
    let task = report.transcript.messages().first().unwrap().text();
    assert!(task.starts_with("pay with") && !task.contains("s3cr3t"), "{task}");
}

#[tokio::test]
async fn a_message_to_the_run_is_guarded_like_the_task() {
    let scene = Scene::new(CALL, way()).without_completion();
    let hook = Fake::new("quiet", HookPoint::Input, Verdict::Continue);
    let (sender, messages) = MessageReceiver::channel();
    sender.send("stop it", DeliverAt::NextTurn).await.unwrap();
    let agent = builder(&scene, &[&hook]).build().unwrap();
    let options = RunOptions::default().with_messages(messages);
    let shown = events(agent.stream_with("go", options)).await;
    assert!(shown.iter().any(|event| matches!(event, Event::MessageQueued { .. })));
    assert_eq!(hook.seen(), ["quiet go", "quiet stop it"]);
    let strict = Fake::new("strict", HookPoint::Input, Verdict::VetoOn("stop"));
    let (sender, messages) = MessageReceiver::channel();
    sender.send("stop it", DeliverAt::NextTurn).await.unwrap();
    let agent = builder(&scene, &[&strict]).build().unwrap();
    let shown = events(agent.stream_with("go", RunOptions::default().with_messages(messages))).await;
    let reason = shown.iter().find_map(|event| match event {
        Event::MessageRefused { reason, .. } => Some(reason.as_str()),
        _ => None,
    });
    assert_eq!(reason, Some("the rule strict refused it: stop"));
    assert!(!shown.iter().any(|event| matches!(event, Event::MessageQueued { .. })));
}

#[tokio::test]
async fn an_answer_with_a_veto_is_shown_to_no_reader_and_made_again() {
    struct NoCode(Log);
    impl Hook for NoCode {
        fn name(&self) -> &'static str {
            "code"
        }
        fn points(&self) -> &[HookPoint] {
            &[HookPoint::Answer]
        }
        fn check_answer<'a>(
            &'a self,
            _: &'a HookContext,
            answer: &'a AnswerText,
        ) -> HookFuture<'a, HookVerdict<String>> {
            self.0.lock().unwrap().push(answer.text.clone());
            let has_code = answer.text.contains("42");
            let verdict = if has_code {
                HookVerdict::Veto("do not tell the code".into())
            } else {
                HookVerdict::Continue
            };
            Box::pin(async { verdict })
        }
    }
    let log = Log::default();
    let model = MockModel::new().text("the code is 42").text("no code");
    let agent = Agent::builder().model(model, "mock-1").hook(NoCode(log.clone())).build().unwrap();
    let shown = events(agent.stream("What is the code?")).await;
    let json = serde_json::to_string(&shown).unwrap();
    assert!(!json.contains("42"), "{json}");
    assert!(json.contains("do not tell the code"));
    let Some(Event::Finished { outcome, .. }) = shown.last() else { panic!("{shown:?}") };
    assert_eq!(*outcome, Outcome::Completed { text: "no code".into() });
    assert_eq!(*log.lock().unwrap(), ["the code is 42", "no code"]);
    let vetoes = shown
        .iter()
        .filter(|event| matches!(event, Event::Hook { report } if report.action == HookAction::Veto));
    assert_eq!(vetoes.count(), 1);
}

#[tokio::test]
async fn an_answer_can_be_rewritten_and_one_that_never_fits_fails_the_run() {
    let scene = Scene::new(TEXT, way()).without_completion();
    let rewrite = Fake::new("mask", HookPoint::Answer, Verdict::Rewrite("the code is …"));
    let report = builder(&scene, &[&rewrite]).build().unwrap().run("code?").await.unwrap();
    assert_eq!(report.text(), Some("the code is …"));
    let scene = Scene::new(TEXT, way()).without_completion();
    let veto = Fake::new("never", HookPoint::Answer, Verdict::Veto("no"));
    let error =
        builder(&scene, &[&veto]).answer_corrections(1).build().unwrap().run("code?").await.unwrap_err();
    assert_eq!(error.to_string(), "the rule never refused the answer: no");
    assert_eq!(veto.seen().len(), 2);
}

#[tokio::test]
async fn a_request_can_be_rewritten_or_refused() {
    let scene = Scene::new(TEXT, way()).without_completion();
    let rewrite = Fake::new("hint", HookPoint::Request, Verdict::Rewrite("be brief"));
    let report = builder(&scene, &[&rewrite]).build().unwrap().run("code?").await.unwrap();
    assert!(scene.model.requests().last().unwrap().to_string().contains("be brief"));
    assert!(!serde_json::to_string(report.transcript.messages()).unwrap().contains("be brief"));
    let veto = Fake::new("office-hours", HookPoint::Request, Verdict::Veto("closed"));
    let error = builder(&scene, &[&veto]).build().unwrap().run("code?").await.unwrap_err();
    assert_eq!(error.to_string(), "the rule office-hours refused the request: closed");
}

#[tokio::test]
async fn observers_see_each_request_and_the_end() {
    let scene = Scene::new(CALL, way()).without_completion();
    let mut all = Fake::new("all", HookPoint::End, Verdict::Continue);
    all.point = vec![HookPoint::Response, HookPoint::End];
    let agent = builder(&scene, &[&all]).build().unwrap();
    agent.run_with("go", RunOptions::default().with_run_id("run-7")).await.unwrap();
    assert_eq!(all.seen(), ["all None", "all None", "all run-7 done"]);
}

// A replayed step calls no hook again; a step that was not recorded runs again with its hooks.
#[tokio::test]
async fn a_resumed_run_calls_no_hook_for_a_recorded_step() {
    let points =
        [HookPoint::Input, HookPoint::Answer, HookPoint::Call, HookPoint::Result, HookPoint::Request];
    let mut hook = Fake::new("h", HookPoint::End, Verdict::Continue);
    hook.point = points.to_vec();
    let scene = Scene::new(CALL, way()).without_completion();
    let journal = Shared::default();
    let options = RunOptions::default().with_journal(journal.clone());
    builder(&scene, &[&hook]).build().unwrap().run_with("go", options).await.unwrap();
    assert_eq!(hook.seen(), ["h go", "h 1", r#"h {"n": 1}"#, "h fine", "h 3", "h done"]);
    let records = journal.records().unwrap();
    let at = |kind: &str| {
        records
            .iter()
            .position(|record| record.body.as_str().contains(&format!(r#""entry":"{kind}""#)))
            .unwrap()
            + 1
    };
    let cases = [
        ("started", vec!["h 1", r#"h {"n": 1}"#, "h fine", "h 3", "h done"]),
        ("answered", vec![r#"h {"n": 1}"#, "h fine", "h 3", "h done"]),
        ("approval", vec![r#"h {"n": 1}"#, "h fine", "h 3", "h done"]),
        ("result", vec!["h 3", "h done"]),
    ];
    for (kind, expected) in cases {
        let mut cut = Shared::default();
        for record in &records[..at(kind)] {
            cut.append(record.body.clone(), record.at_ms, Durability::Buffered).unwrap();
        }
        let scene = Scene::new(CALL, way()).without_completion();
        let hook = Fake { log: Log::default(), ..hook.clone() };
        let agent: Agent = builder(&scene, &[&hook]).build().unwrap();
        let report = agent.resume(RunOptions::default().with_journal(cut)).unwrap().report().await.unwrap();
        assert_eq!(report.text(), Some("done"), "{kind}");
        assert_eq!(hook.seen(), expected, "{kind}");
    }
}
