//! Sessions: a conversation of several tasks.

use futures_util::StreamExt;
use windlass_agent::{Agent, AgentError, Event, Outcome, RunOptions, SavedSession, Session};
use windlass_protocol::{Message, Role};

use crate::scene::{Scene, way, ways};

/// The script answers by the number of the model's messages in the conversation, so an answer shows the
/// length of the request.
const FOUR: &str = r#"{"turns": [
    {"steps": [{"text": "first"}]},
    {"steps": [{"text": "second"}]},
    {"steps": [{"call": {"name": "look", "arguments": {}}}]},
    {"steps": [{"text": "third"}]},
    {"steps": [{"text": "fourth"}]}]}"#;

fn agent(scene: &Scene) -> Agent {
    scene.builder().build().unwrap()
}

/// A scene whose toolbox has no completion tool, so that an answer without calls ends a task.
fn chat() -> Scene {
    Scene::new(FOUR, way()).without_completion()
}

async fn ask(session: &mut Session, task: &str) -> String {
    session.send(task).await.unwrap().into_text().unwrap()
}

#[tokio::test]
async fn each_task_sees_the_tasks_before_it_in_every_wire_format() {
    for way in ways() {
        let scene = Scene::new(FOUR, way).without_completion();
        let mut session = agent(&scene).session();
        for (task, answer) in [("a", "first"), ("b", "second"), ("c", "third"), ("d", "fourth")] {
            assert_eq!(ask(&mut session, task).await, answer);
        }
        assert_eq!(session.tasks(), 4);
        let users = session.messages().iter().filter(|message| message.role == Role::User);
        let words: Vec<String> = users.map(Message::text).collect();
        assert_eq!(words, ["a", "b", "c", "d"], "{}", scene.way.wire.name());
        assert_eq!(session.used().requests, 5);
        assert!(session.usage().input_tokens > 0);
    }
}

#[tokio::test]
async fn a_session_is_saved_loaded_forked_and_rewound() {
    let scene = chat();
    let mut session = agent(&scene).session();
    ask(&mut session, "a").await;
    ask(&mut session, "b").await;
    let text = serde_json::to_string(&session.save()).unwrap();
    let saved: SavedSession = serde_json::from_str(&text).unwrap();
    let mut loaded = Session::from_saved(agent(&scene), saved);
    assert_eq!(loaded.save(), session.save());
    let mut forked = session.fork();
    assert_eq!(ask(&mut loaded, "c").await, "third");
    assert_eq!(ask(&mut forked, "other").await, "third");
    assert_eq!(session.tasks(), 2, "a fork does not change its origin");
    let error = session.rewind(3).unwrap_err();
    assert!(matches!(error, AgentError::Rewind { tasks: 3, have: 2 }));
    session.rewind(1).unwrap();
    assert_eq!(session.messages().len(), 2);
    assert_eq!(ask(&mut session, "again").await, "second");
    session.rewind(2).unwrap();
    assert!(session.messages().is_empty());
    assert_eq!(ask(&mut session, "anew").await, "first");
}

#[tokio::test]
async fn a_stream_of_a_session_is_remembered_when_it_was_read_to_its_end() {
    let scene = chat();
    let mut session = agent(&scene).session();
    {
        let mut events = session.stream("a");
        assert!(matches!(events.next().await, Some(Ok(Event::TurnStarted { .. }))));
    }
    assert_eq!(session.tasks(), 0, "a stream that was dropped is forgotten");
    let mut text = String::new();
    let mut events = session.stream("a");
    while let Some(event) = events.next().await {
        if let Event::Text { text: more } = event.unwrap() {
            text.push_str(&more);
        }
    }
    assert_eq!(events.report().await.unwrap().text(), Some("first"));
    assert_eq!((text.as_str(), session.tasks()), ("first", 1));
}

#[tokio::test]
async fn a_task_that_fails_is_not_remembered_and_is_an_error() {
    let script = r#"{"turns": [{"steps": [{"text": "first"}]}, {"steps": [], "hostile": {"switch": "status", "status": 400}}]}"#;
    let scene = Scene::new(script, way()).without_completion();
    let agent = agent(&scene);
    let mut session = agent.session();
    ask(&mut session, "a").await;
    let before = session.messages().clone();
    let error = session.send("b").await.unwrap_err();
    assert!(
        matches!(&error, AgentError::Failed { message } if message.contains("the script refuses")),
        "{error}"
    );
    assert_eq!(session.messages(), &before);
    let options = RunOptions::default();
    let report = session.stream_with("b", options).report().await.unwrap();
    assert!(matches!(report.outcome, Outcome::Failed { .. }));
    assert!(report.to_string().contains("the script refuses"), "{report}");
}
