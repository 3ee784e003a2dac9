//! Several questions at once.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_protocol::ResultStatus;
use windlass_tool::NoAnswer;
use windlass_tools_control::RequestUserInput;

use crate::calling::{Says, call_with, context};

async fn ask(says: &Says, questions: Value) -> (ResultStatus, String) {
    let ctx = context().with_human(Arc::new(says.clone()));
    call_with(&RequestUserInput::default(), &ctx, &json!({ "questions": questions })).await
}

fn two() -> Value {
    json!([
        {"id": "db", "header": "Store", "question": "Which database?", "options": [
            {"label": "SQLite", "description": "One file."}, {"label": "Postgres"}]},
        {"id": "name", "question": "Which name?"}
    ])
}

#[tokio::test]
async fn all_answers_are_returned_together_by_id() {
    let says = Says::new(&[Ok("SQLite"), Ok("a\nb ")]);
    let (status, text) = ask(&says, two()).await;
    assert_eq!(
        (status, text.as_str()),
        (ResultStatus::Ok, "[2 of 2 questions answered]\ndb: SQLite\nname: a\n  b")
    );
    let asked = says.asked();
    assert_eq!(asked[0].text, "(1 of 2) Store: Which database?\n  SQLite: One file.");
    assert_eq!(asked[0].suggestions, ["SQLite", "Postgres"]);
    assert_eq!(asked[1].text, "(2 of 2) Which name?");
}

#[tokio::test]
async fn given_answers_are_kept_if_the_rest_stays_unanswered() {
    let says = Says::new(&[Ok("SQLite"), Err(NoAnswer::TimedOut)]);
    let (status, text) = ask(&says, two()).await;
    assert_eq!(status, ResultStatus::TimedOut);
    assert!(text.starts_with(
        "[1 of 2 questions answered]\ndb: SQLite\nname: (no answer)\nNo answer arrived in time."
    ));
    let says = Says::new(&[Err(NoAnswer::Absent), Ok("late")]);
    let (status, text) = ask(&says, two()).await;
    assert_eq!((status, says.asked().len()), (ResultStatus::Error, 1));
    assert!(text.starts_with("[0 of 2 questions answered]") && text.contains("Decide yourself"), "{text}");
}

#[tokio::test]
async fn invalid_question_lists_are_refused_before_any_is_asked() {
    let says = Says::new(&[Ok("x"); 9]);
    let one = || json!({"id": "a", "question": "?"});
    for (questions, said) in [
        (json!([]), "0 questions were given, 1 to 4 are allowed, and none was asked"),
        (
            json!([one(), one(), one(), one(), one()]),
            "5 questions were given, 1 to 4 are allowed, and none was asked",
        ),
        (json!([one(), one()]), "two questions have the id `a`, and nothing was asked"),
        (json!([{"id": "a"}]), "missing field `question`"),
    ] {
        let (status, text) = ask(&says, questions).await;
        assert_eq!(status, ResultStatus::Error);
        assert!(text.contains(said), "{text}");
    }
    assert!(says.asked().is_empty());
}
