//! The order of records, the matching of results to calls, and concurrent calls (L5, L6, R2, R5).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Barrier;
use windlass_agent::{Agent, ApproveAll, Approver, ApproverFuture, RunOptions};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_journal::Journal;
use windlass_protocol::{Effect, Hints, Payload, ToolName, ToolProtocol, ToolSpec};
use windlass_tool::{Context, Inspection, Output, Tool, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};

use crate::scene::{Scene, Shared, Way, way, ways};

const TWO_WRITES: &str = r#"{"turns": [
    {"steps": [{"text": "I work."}, {"call": {"id": "r1", "name": "look"}},
        {"call": {"id": "w1", "name": "change", "arguments": {"n": 1}}},
        {"call": {"id": "w2", "name": "change", "arguments": {"n": 2}}}]},
    {"steps": [{"call": {"id": "end", "name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

/// Denies one call with a comment, and approves the others.
struct NoTo(&'static str);

impl Approver for NoTo {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        let id = request.request_id.clone();
        let decision = if request.call.id.as_str() == self.0 {
            ApprovalDecision::deny(id, Some("not this one".into()))
        } else {
            ApprovalDecision::approve(id)
        };
        Box::pin(async move { Some(decision) })
    }
}

/// The results of a request by call id, in either provider's format, in order.
fn results(value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            match members.get("tool_call_id").or_else(|| members.get("tool_use_id")).and_then(Value::as_str) {
                Some(id) => found.push((id.to_owned(), members["content"].to_string())),
                None => members.values().for_each(|member| results(member, found)),
            }
        }
        Value::Array(items) => items.iter().for_each(|item| results(item, found)),
        _ => {}
    }
}

// R1, R2
#[tokio::test]
async fn a_comment_is_in_the_result_of_the_call_that_was_denied_and_in_no_other() {
    for way in ways().into_iter().filter(Way::has_native_ids) {
        let scene = Scene::new(TWO_WRITES, way);
        let agent = scene.builder().approver(NoTo("w1")).build().unwrap();
        assert_eq!(agent.run("task").await.unwrap().text(), Some("done"));
        let mut found = Vec::new();
        results(&scene.model.requests()[1], &mut found);
        let ids: Vec<_> = found.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["r1", "w1", "w2"], "one result for each call, in call order");
        for (id, text) in &found {
            assert_eq!(text.contains("not this one"), id == "w1", "{id}: {text}");
            assert_eq!(text.contains("[denied]"), id == "w1", "{id}: {text}");
        }
    }
}

// R5, L6, SECURITY "Journal"
#[tokio::test]
async fn the_journal_records_each_call_in_order() {
    for way in ways() {
        let scene = Scene::new(TWO_WRITES, way);
        let journal = Shared::default();
        let [read, denied, written, end] = match scene.way.protocol {
            ToolProtocol::Native => ["r1", "w1", "w2", "end"],
            // X4: the id of a call that was found in text has the turn and the position.
            _ => ["text_0_0", "text_0_1", "text_0_2", "text_1_0"],
        };
        let agent = scene.builder().approver(NoTo(denied)).build().unwrap();
        let options = RunOptions::default().with_journal(journal.clone());
        agent.stream_with("task", options).report().await.unwrap();
        let entries: Vec<Value> = journal
            .records()
            .unwrap()
            .iter()
            .map(|record| serde_json::from_str(record.body.as_str()).unwrap())
            .collect();
        let told = |call: &str| -> Vec<&str> {
            let about = |entry: &&Value| {
                [&entry["call"], &entry["result"]["call"], &entry["request"]["call"]["id"]]
                    .iter()
                    .any(|id| **id == *call)
            };
            entries.iter().filter(about).map(|entry| entry["entry"].as_str().unwrap()).collect()
        };
        assert_eq!(told(read), ["judged", "intent", "result"]);
        assert_eq!(told(denied), ["judged", "asked", "approval", "result"], "a denied call has no intent");
        assert_eq!(told(written), ["judged", "asked", "approval", "intent", "result"]);
        let at = |wanted: &dyn Fn(&Value) -> bool| entries.iter().position(wanted).unwrap();
        assert_eq!(entries[0]["entry"], "started");
        assert_eq!(entries[entries.len() - 1]["entry"], "finished");
        let answered = at(&|entry| entry["entry"] == "answered");
        let ends: Vec<_> =
            [read, denied, written, end].map(|call| at(&|entry| entry["result"]["call"] == call)).to_vec();
        // The results of one answer's calls have no fixed order, but follow the answer and precede the result of the
        // next answer's call.
        let (last, of_first) = ends.split_last().unwrap();
        assert!(
            of_first.iter().all(|end| answered < *end && end < last),
            "answer {answered}, results {ends:?}"
        );
    }
}

/// Continues only when two calls are running at the same time.
struct Meeting(ToolSpec, Barrier);

impl Tool for Meeting {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async {
            self.1.wait().await;
            Ok(Output::text("both are here"))
        })
    }
}

// L5, on a clock that only the test moves: calls that do not overlap would wait for ever.
#[tokio::test(start_paused = true)]
async fn two_reads_of_one_answer_run_concurrently() {
    const MEET: &str = r#"{"turns": [{"steps": [{"call": {"name": "meet"}}, {"call": {"name": "meet"}}]}],
        "fallback": "both met"}"#;
    for way in ways() {
        let scene = Scene::new(MEET, way);
        let schema = r#"{"type":"object"}"#.parse().unwrap();
        let spec = ToolSpec::function(ToolName::new("meet").unwrap(), "A tool.", schema);
        let toolbox = Toolbox::builder()
            .tool(Arc::new(Meeting(spec, Barrier::new(2))))
            .config(ToolConfig::new(Preset::Full))
            .build()
            .unwrap();
        let agent = Agent::builder()
            .model(scene.model.clone(), "scripted-1")
            .protocols([scene.way.protocol])
            .toolbox(toolbox)
            .approver(ApproveAll)
            .build()
            .unwrap();
        let run = tokio::time::timeout(Duration::from_mins(1), agent.run("task")).await;
        assert!(run.is_ok(), "the calls waited for each other");
        let asked = scene.model.requests()[1].to_string();
        assert_eq!(asked.matches("both are here").count(), 2, "{asked}");
    }
}

/// Inspects the targets of a call for the duration in its arguments.
struct Slow(ToolSpec);

impl Tool for Slow {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Write { path: "a".into(), bytes: None }]
    }

    fn inspect(&self, payload: &Payload) -> Inspection {
        let arguments: Value = serde_json::from_str(&payload.text()).unwrap();
        std::thread::sleep(Duration::from_millis(arguments["wait"].as_u64().unwrap()));
        Inspection::default()
    }

    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async { Ok(Output::text("fine")) })
    }
}

/// Records each request with its time, and approves a moment later.
#[derive(Clone, Default)]
struct Noting(Arc<Mutex<Vec<String>>>);

impl Approver for Noting {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        Box::pin(async {
            self.0.lock().unwrap().push(request.call.payload.text());
            tokio::task::yield_now().await;
            Some(ApprovalDecision::approve(request.request_id.clone()))
        })
    }
}

// Calls are decided concurrently; the slowest decision is the first question if its call is the first.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn questions_of_one_answer_are_asked_in_call_order() {
    let waits = [80, 40, 60, 0, 20, 0, 0, 0];
    let steps: Vec<Value> = waits
        .iter()
        .enumerate()
        .map(|(n, wait)| json!({"call": {"name": "slow", "arguments": {"n": n, "wait": wait}}}))
        .collect();
    let script = json!({"turns": [{"steps": steps}], "fallback": "done"}).to_string();
    let scene = Scene::new(&script, way());
    let spec = ToolSpec::function(
        ToolName::new("slow").unwrap(),
        "A tool.",
        r#"{"type":"object"}"#.parse().unwrap(),
    );
    let noting = Noting::default();
    let toolbox =
        Toolbox::builder().tool(Arc::new(Slow(spec))).config(ToolConfig::new(Preset::Full)).build().unwrap();
    let agent = Agent::builder()
        .model(scene.model.clone(), "scripted-1")
        .toolbox(toolbox)
        .approver(noting.clone())
        .build()
        .unwrap();
    assert_eq!(agent.run("task").await.unwrap().text(), Some("done"));
    let asked: Vec<u64> = noting
        .0
        .lock()
        .unwrap()
        .iter()
        .map(|text| serde_json::from_str::<Value>(text).unwrap()["n"].as_u64().unwrap())
        .collect();
    assert_eq!(asked, [0, 1, 2, 3, 4, 5, 6, 7]);
}

/// Panics at the first question.
#[derive(Clone, Default)]
struct Broken(Noting, Arc<AtomicBool>);

impl Approver for Broken {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> ApproverFuture<'a> {
        assert!(self.1.swap(true, Ordering::SeqCst), "it breaks");
        self.0.decide(request)
    }
}

// If the approver fails at a question, the next question is still sent.
#[tokio::test]
async fn an_approver_that_breaks_at_one_question_is_asked_the_next() {
    let scene = Scene::new(TWO_WRITES, way());
    let broken = Broken::default();
    let agent = scene.builder().approver(broken.clone()).build().unwrap();
    let run = tokio::time::timeout(Duration::from_mins(1), agent.run("task")).await;
    assert_eq!(run.unwrap().unwrap().text(), Some("done"));
    assert_eq!(broken.0.0.lock().unwrap().len(), 1);
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 1);
}
