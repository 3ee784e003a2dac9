//! Handing a task on.

use std::sync::{Arc, Mutex};

use serde_json::json;
use windlass_protocol::{Control, Effect, ResultStatus};
use windlass_tool::{Context, Tool, ToolError};
use windlass_tools_control::{NewTask, Task, TaskFuture, TaskMode, Tasks, TodoItem, TodoState};

use crate::calling::{call, payload};

struct Worker {
    modes: Vec<TaskMode>,
    got: Mutex<Vec<Task>>,
    report: Result<String, String>,
}

impl Worker {
    fn new(report: Result<&str, &str>) -> Arc<Self> {
        let modes = vec![TaskMode::new("code", "writes code"), TaskMode::new("ask", "answers")];
        let report = report.map(str::to_owned).map_err(str::to_owned);
        Arc::new(Self { modes, got: Mutex::default(), report })
    }
}

impl Tasks for Worker {
    fn modes(&self) -> &[TaskMode] {
        &self.modes
    }

    fn perform<'a>(&'a self, _: &'a Context, task: Task) -> TaskFuture<'a> {
        self.got.lock().unwrap().push(task);
        Box::pin(async { self.report.clone().map_err(ToolError::from) })
    }
}

#[tokio::test]
async fn a_task_is_delegated_with_its_todos_and_returns_the_report() {
    let worker = Worker::new(Ok("all done"));
    let tool = NewTask::new(worker.clone());
    let arguments = json!({"mode": "code", "message": "do it", "todos": "- [ ] a"});
    assert_eq!(call(&tool, &arguments).await, (ResultStatus::Ok, "all done".into()));
    let got = worker.got.lock().unwrap().pop().unwrap();
    assert_eq!((got.mode.as_str(), got.message.as_str()), ("code", "do it"));
    assert_eq!(got.todos, [TodoItem::new("a", TodoState::Pending)]);
    assert_eq!(tool.effects(&payload(&arguments)), [Effect::Spawn { agent: "code".into() }]);
    assert_eq!(tool.effects(&payload(&json!({}))), [Effect::Unknown]);
    assert_eq!(tool.hints().control, Control::Last);
    assert!(tool.spec().description().contains("\n- code: writes code\n- ask: answers"));
}

#[tokio::test]
async fn a_refused_task_reports_the_reason() {
    let worker = Worker::new(Err("the budget is spent"));
    let tool = NewTask::new(worker.clone());
    let long = "x".repeat(100_001);
    for (arguments, said) in [
        (
            json!({"mode": "fly", "message": "m"}),
            "unknown mode `fly`, and no task was started; the modes are: code, ask",
        ),
        (
            json!({"mode": "ask", "message": " "}),
            "the message has 1 bytes, 1 to 100000 are allowed, and no task was started",
        ),
        (json!({"mode": "ask", "message": long}), "the message has 100001 bytes"),
        (json!({"mode": "ask", "message": "m", "todos": "a"}), "line 1 of the list is not an item"),
    ] {
        let (status, text) = call(&tool, &arguments).await;
        assert_eq!(status, ResultStatus::Error);
        assert!(text.contains(said), "{text}");
    }
    assert!(worker.got.lock().unwrap().is_empty());
    let (status, text) = call(&tool, &json!({"mode": "ask", "message": "m"})).await;
    assert_eq!((status, text.as_str()), (ResultStatus::Error, "the budget is spent"));
}

#[tokio::test]
async fn a_long_report_keeps_its_head_and_its_tail() {
    let report = format!("begin {} end", "ä".repeat(100_000));
    let (_, text) =
        call(&NewTask::new(Worker::new(Ok(&report))), &json!({"mode": "ask", "message": "m"})).await;
    assert!(
        text.starts_with("[200010 bytes; 140010 in the middle are left out]\nbegin ä"),
        "{}",
        &text[..80]
    );
    assert!(text.ends_with("ä end") && text.len() < 60_100);
}
