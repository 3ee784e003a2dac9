//! The tools by which a model speaks with the loop and the human.

use std::sync::Arc;

use windlass_protocol::ResultStatus;
use windlass_tool::{NoAnswer, Tool};
use windlass_tools_control::{AskFollowupQuestion, AttemptCompletion, TodoList, UpdateTodoList};

use crate::calling::{Says, call_with, context};

async fn call(tool: &dyn Tool, human: Option<Says>, arguments: &str) -> (ResultStatus, String) {
    let ctx = match human {
        Some(human) => context().with_human(Arc::new(human)),
        None => context(),
    };
    call_with(tool, &ctx, &arguments.parse().unwrap()).await
}

// L1
#[tokio::test]
async fn a_completion_is_accepted_or_denied_with_the_humans_comment() {
    let plain = AttemptCompletion::default();
    assert_eq!(call(&plain, None, r#"{"result":"r"}"#).await.0, ResultStatus::Ok);
    let reviewed = AttemptCompletion::default().with_review();
    assert_eq!(call(&reviewed, Some(Says::new(&[Ok("yes")])), r#"{"result":"r"}"#).await.0, ResultStatus::Ok);
    let (status, text) =
        call(&reviewed, Some(Says::new(&[Ok("the docs are missing")])), r#"{"result":"r"}"#).await;
    assert_eq!(status, ResultStatus::Denied);
    assert!(text.contains("the docs are missing"));
    assert_eq!(
        call(&reviewed, None, r#"{"result":"r"}"#).await.0,
        ResultStatus::Ok,
        "nobody is there to review"
    );
}

// L2
#[tokio::test]
async fn open_todos_refuse_completion() {
    let list = TodoList::default();
    let update = UpdateTodoList::new(list.clone());
    let done = AttemptCompletion::default().with_todos(list);
    call(&update, None, r#"{"todos":[{"text":"a","state":"completed"},{"text":"b","state":"in_progress"}]}"#)
        .await;
    let (status, text) = call(&done, None, r#"{"result":"r"}"#).await;
    assert_eq!(status, ResultStatus::Error);
    assert!(text.contains(": b."), "{text}");
    call(&update, None, r#"{"todos":[{"text":"b","state":"completed"}]}"#).await;
    assert_eq!(call(&done, None, r#"{"result":"r"}"#).await.0, ResultStatus::Ok);
}

#[tokio::test]
async fn a_question_returns_the_answer_or_an_error_without_a_human() {
    let ask = AskFollowupQuestion::default();
    assert!(call(&ask, Some(Says::new(&[Ok("blue")])), r#"{"question":"?"}"#).await.1.contains("blue"));
    assert_eq!(call(&ask, None, r#"{"question":"?"}"#).await.0, ResultStatus::Error);
    let late = Some(Says::new(&[Err(NoAnswer::TimedOut)]));
    assert_eq!(call(&ask, late, r#"{"question":"?"}"#).await.0, ResultStatus::TimedOut);
}
