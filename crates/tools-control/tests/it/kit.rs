//! The tools follow the rules of the conformance kit.

use serde_json::{Value, json};
use std::sync::Arc;
use windlass_tool::kit::check_tool;
use windlass_tools_control::{TodoList, tools};

use crate::calling::{Says, context, payload};

async fn check(name: &str, arguments: &Value) {
    let tools = tools(&TodoList::default());
    let tool = tools.iter().find(|tool| tool.spec().name().as_str() == name).unwrap();
    let ctx = context().with_human(Arc::new(Says::new(&[Ok("yes"), Ok("yes"), Ok("yes")])));
    let checked = check_tool(&**tool, &ctx, &payload(arguments)).await;
    assert!(checked.is_ok(), "{name}: {}", checked.unwrap_err());
}

#[tokio::test]
async fn the_tools_conform() {
    check("update_todo_list", &json!({"todos": "[ ] write\n[x] read\n"})).await;
    check("attempt_completion", &json!({"result": "It is done."})).await;
    let question = json!({"question": "Which folder?", "follow_up": ["src", "docs"]});
    check("ask_followup_question", &question).await;
    check("update_plan", &json!({"plan": [{"step": "write", "status": "pending"}]})).await;
}
