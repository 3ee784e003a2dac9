//! The list of tasks in three notations.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use windlass_protocol::ResultStatus;
use windlass_tool::{Progress, Tool};
use windlass_tools_control::{TodoItem, TodoList, TodoState, UpdatePlan, UpdateTodoList, tools};

use crate::calling::{call, call_with, context};

#[tokio::test]
async fn one_list_is_written_as_objects_as_a_checklist_and_as_a_plan() {
    let list = TodoList::default();
    let (todo, plan) = (UpdateTodoList::new(list.clone()), UpdatePlan::new(list.clone()));
    let expected = [TodoItem::new("a", TodoState::Completed), TodoItem::new("b", TodoState::InProgress)];
    let shown = "The list is now (1 of 2 done):\n[x] a\n[~] b";
    let objects =
        json!({"todos": [{"text": "a", "state": "completed"}, {"text": "b", "state": "in_progress"}]});
    let checklist = json!({"todos": "- [x] a\n\n- [-] b\n"});
    let steps =
        json!({"plan": [{"step": "a", "status": "completed"}, {"step": "b", "status": "in_progress"}]});
    for (tool, arguments) in [(&todo as &dyn Tool, objects), (&todo, checklist), (&plan, steps)] {
        assert_eq!(call(&todo, &json!({"todos": []})).await.1, "The list is now empty.");
        assert_eq!(call(tool, &arguments).await, (ResultStatus::Ok, shown.to_owned()), "{arguments}");
        assert_eq!(list.items(), expected);
    }
}

#[tokio::test]
async fn a_list_that_is_refused_leaves_the_old_one() {
    let list = TodoList::default();
    let tool = UpdateTodoList::new(list.clone());
    call(&tool, &json!({"todos": "- [ ] keep"})).await;
    let long = "x".repeat(501);
    let many = vec![json!({"text": "a", "state": "pending"}); 101];
    for (todos, said) in [
        (json!("keep"), "line 1 of the list is not an item"),
        (json!(format!("- [ ] {long}")), "item 1 has 501 characters"),
        (json!([{"text": " ", "state": "pending"}]), "item 1 has 1 characters and the list was not stored"),
        (Value::from(many), "the list has 101 items and was not stored: at most 100"),
    ] {
        let (status, text) = call(&tool, &json!({ "todos": todos })).await;
        assert_eq!(status, ResultStatus::Error);
        assert!(text.contains(said), "{text}");
        assert_eq!(list.open(), ["keep"]);
    }
}

#[tokio::test]
async fn the_explanation_of_a_plan_is_emitted_as_a_progress_note() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&told);
    let ctx = context().with_progress(move |progress| listener.lock().unwrap().push(progress));
    let arguments = json!({"explanation": "found a bug", "plan": [{"step": "a", "status": "pending"}]});
    let (_, text) = call_with(&UpdatePlan::new(TodoList::default()), &ctx, &arguments).await;
    assert_eq!(text, "The list is now (0 of 1 done):\n[ ] a");
    assert_eq!(*told.lock().unwrap(), [Progress::Note("found a bug".into())]);
}

#[test]
fn the_tools_that_need_nothing_have_their_names() {
    let tools = tools(&TodoList::default());
    let names: Vec<_> = tools.iter().map(|tool| tool.spec().name().as_str()).collect();
    let expected = [
        "update_todo_list",
        "ask_followup_question",
        "attempt_completion",
        "update_plan",
        "request_user_input",
    ];
    assert_eq!(names, expected);
}
