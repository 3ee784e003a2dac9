//! The whole approval card, messages, the stop of one call, and the restore of files, over the API.

use std::time::Duration;

use serde_json::{Value, json};
use windlass_app::Confinement;
use windlass_testkit::{Need, require};

use crate::place::Place;

const WRITES_TWICE: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "docs/a.md", "content": "one\n"}}}]},
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "docs/b.md", "content": "two\n"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Written."}}}]},
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "docs/c.md", "content": "three\n"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Again."}}}]}]}"#;

const SLEEPS: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "run_command", "id": "c1", "arguments": {"command": "sleep 60"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Went on."}}}]}]}"#;

/// Answers the newest question of a session.
async fn answer(place: &Place, session: &str, asked: &Value, mut answer: Value) -> Value {
    answer["question"] = asked["question"].clone();
    let path = format!("/api/sessions/{session}/answer");
    let effect = place.call("POST", &path, &answer.to_string()).await;
    assert_eq!(effect.status, 200, "{effect:?}");
    effect.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_edited_in_the_answer() {
    let place = Place::new(WRITES_TWICE).await;
    let session = place.start("write").await;
    let first = place.feed_until(&session, 0, "question_opened").await;
    let asked = first.last().unwrap();
    let path = format!("/api/sessions/{session}/answer");
    let wrong = json!({"answer": "edited", "question": asked["question"], "arguments": "x"}).to_string();
    assert_eq!(place.call("POST", &path, &wrong).await.status, 422);
    // The changed arguments lack the required content, so the question stays open.
    let invalid =
        json!({"answer": "edited", "question": asked["question"], "arguments": {"path": "docs/a.md"}});
    let refused = place.call("POST", &path, &invalid.to_string()).await;
    assert_eq!((refused.status, &refused.json()["code"]), (422, &json!("invalid_arguments")), "{refused:?}");
    assert!(refused.json()["message"].to_string().contains("content"), "{refused:?}");
    let edited = json!({"answer": "edited", "arguments": {"path": "docs/a.md", "content": "changed\n"}});
    answer(&place, &session, asked, edited).await;
    // A diff must be shown for the changed call, so the question is asked again with the new arguments.
    let last = asked["seq"].as_u64().unwrap();
    let again = place.feed_until(&session, last, "question_opened").await;
    let again = again.last().unwrap();
    assert_eq!(again["card"]["arguments"]["content"], "changed\n");
    assert_ne!(again["card"]["digest"], asked["card"]["digest"], "the approval is bound to the changed call");
    answer(&place, &session, again, json!({"answer": "once"})).await;
    place.feed_until(&session, again["seq"].as_u64().unwrap(), "question_opened").await;
    let written = std::fs::read_to_string(place.folder.path().join("project/docs/a.md")).unwrap();
    assert_eq!(written, "changed\n");
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_becomes_a_rule_that_later_runs_follow() {
    let place = Place::new(WRITES_TWICE).await;
    let session = place.start("write").await;
    let first = place.feed_until(&session, 0, "question_opened").await;
    let asked = first.last().unwrap();
    let question = asked["question"].as_str().unwrap();
    let proposal = place.call("GET", &format!("/api/sessions/{session}/rule?question={question}"), "").await;
    assert_eq!(proposal.status, 200, "{proposal:?}");
    let proposal = proposal.json();
    assert!(proposal["text"].as_str().unwrap().contains("path = \"docs/*.md\""), "{proposal}");
    assert_eq!(proposal["allows"][0], "write_file: write docs/a.md");
    let refuses = proposal["refuses"].to_string();
    assert!(refuses.contains("docs/inner/example.md") && refuses.contains("elsewhere/a.md"), "{refuses}");
    let file = place.folder.path().join("settings/policy.toml");
    assert!(!file.exists(), "a proposal writes nothing");

    let path = format!("/api/sessions/{session}/answer");
    let wrong = json!({"answer": "rule", "question": question, "digest": "other"}).to_string();
    let unshown = place.call("POST", &path, &wrong).await;
    assert_eq!((unshown.status, &unshown.json()["code"]), (409, &json!("rule_changed")));
    let effect =
        answer(&place, &session, asked, json!({"answer": "rule", "digest": proposal["digest"]})).await;
    assert_eq!(effect["rule"]["rules"], json!(["answer-write_file-1"]));
    assert!(std::fs::read_to_string(&file).unwrap().contains("match = [\"docs/a.md\""));

    // The second call of the run has the shape of the first one, and the next run follows the rule.
    let all = place.feed_until(&session, 0, "run_ended").await;
    assert_eq!(all.iter().filter(|event| event["kind"] == "question_opened").count(), 1);
    let other = place.start("write again").await;
    let all = place.feed_until(&other, 0, "run_ended").await;
    let decided = all.iter().find(|event| event["kind"] == "decision").unwrap();
    assert_eq!(decided["rule"], "answer-write_file-1", "{decided}");
    assert!(all.iter().all(|event| event["kind"] != "question_opened"));
    let late = place.call("GET", &format!("/api/sessions/{session}/rule?question={question}"), "").await;
    assert_eq!((late.status, &late.json()["code"]), (404, &json!("not_open")));
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_call_is_stopped_and_the_run_continues() {
    let place = Place::with_template(SLEEPS, |template| template.sandbox = Confinement::Off).await;
    let session = place.start("sleep").await;
    let first = place.feed_until(&session, 0, "question_opened").await;
    let stop = format!("/api/sessions/{session}/calls/c1/stop");
    let early = place.call("POST", &stop, "").await;
    assert_eq!((early.status, &early.json()["code"]), (409, &json!("not_running")));
    answer(&place, &session, first.last().unwrap(), json!({"answer": "once"})).await;
    place.feed_until(&session, 0, "call_running").await;
    let mut stopped = place.call("POST", &stop, "").await;
    while stopped.status == 409 {
        tokio::time::sleep(Duration::from_millis(20)).await;
        stopped = place.call("POST", &stop, "").await;
    }
    assert_eq!(stopped.status, 202);
    let all = place.feed_until(&session, 0, "run_ended").await;
    let result = all.iter().find(|event| event["kind"] == "result").unwrap();
    // A command that had not started its process yet is an error with these words.
    assert!(result["status"] == "cancelled" || result["text"].to_string().contains("cancelled"), "{result}");
    assert_eq!(all.last().unwrap()["outcome"], json!({"state": "completed", "text": "Went on."}));
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_for_now_stops_the_running_call() {
    let place = Place::with_template(SLEEPS, |template| template.sandbox = Confinement::Off).await;
    let session = place.start("sleep").await;
    let first = place.feed_until(&session, 0, "question_opened").await;
    answer(&place, &session, first.last().unwrap(), json!({"answer": "once"})).await;
    place.feed_until(&session, 0, "call_running").await;
    let body = json!({"text": "Do not sleep.", "when": "now"}).to_string();
    let sent = place.call("POST", &format!("/api/sessions/{session}/messages"), &body).await;
    assert_eq!(sent.status, 202, "{sent:?}");
    let all = place.feed_until(&session, 0, "run_ended").await;
    let result = all.iter().find(|event| event["kind"] == "result").unwrap();
    // A command that had not started its process yet is an error with these words.
    assert!(result["status"] == "cancelled" || result["text"].to_string().contains("cancelled"), "{result}");
    assert!(
        all.iter().any(|event| event["kind"] == "message" && event["text"] == "Do not sleep."),
        "{all:?}"
    );
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_files_of_a_run_are_compared_and_restored_after_a_preview() {
    require!(Need::Git, std::process::Command::new("git").arg("--version").output());
    let place = Place::with_template(WRITES_TWICE, |template| template.no_checkpoints = false).await;
    let session = place.start("write").await;
    let first = place.feed_until(&session, 0, "question_opened").await;
    answer(&place, &session, first.last().unwrap(), json!({"answer": "session"})).await;
    place.feed_until(&session, 0, "run_ended").await;
    place.wait_for_end(&session).await;
    let path = format!("/api/sessions/{session}");
    let listed = place.call("GET", &format!("{path}/checkpoints"), "").await.json();
    assert_eq!(listed["checkpoints"][0]["label"], "before turn 1", "{listed}");
    let turn = place.call("GET", &format!("{path}/diff?turn=2"), "").await.json();
    let text = turn["text"].as_str().unwrap();
    assert!(text.contains("+two") && !text.contains("+one"), "{text}");
    let whole = place.call("GET", &format!("{path}/diff"), "").await.json();
    assert!(whole["text"].as_str().unwrap().contains("+one"), "{whole}");
    assert_eq!(place.call("GET", &format!("{path}/diff?turn=9"), "").await.status, 404);
    assert_eq!(place.call("GET", &format!("{path}/diff?run=1-00"), "").await.status, 404);

    let restore = format!("{path}/restore");
    let preview = place.call("POST", &restore, r#"{"turn": 2}"#).await.json();
    assert_eq!((&preview["is_preview"], &preview["removed"]), (&json!(true), &json!(["docs/b.md"])));
    let docs = place.folder.path().join("project/docs");
    assert!(docs.join("b.md").exists(), "a preview changes nothing");
    let wrong = place.call("POST", &restore, r#"{"turn": 1, "digest": "0"}"#).await;
    assert_eq!((wrong.status, &wrong.json()["code"]), (409, &json!("conflict")), "{wrong:?}");
    let body = json!({"turn": 2, "digest": preview["digest"]}).to_string();
    let done = place.call("POST", &restore, &body).await;
    assert_eq!(done.status, 200, "{done:?}");
    assert!(!docs.join("b.md").exists() && docs.join("a.md").exists());
    let undo = json!({"checkpoint": done.json()["undo"]}).to_string();
    let preview = place.call("POST", &restore, &undo).await.json();
    assert_eq!(preview["written"], json!(["docs/b.md"]), "{preview}");
    // The file of another program is changed only if the request demands it.
    std::fs::write(docs.join("a.md"), "mine\n").unwrap();
    let foreign = place.call("POST", &restore, r#"{"turn": 1}"#).await;
    assert_eq!(foreign.status, 409, "{foreign:?}");
    let kept = place.call("POST", &restore, r#"{"turn": 1, "others": "keep"}"#).await.json();
    assert_eq!(kept["kept"][0]["path"], "docs/a.md", "{kept}");
    place.shutdown().await;
}
