//! A run that is suspended, answered and resumed.

use futures_util::StreamExt as _;
use windlass_agent::{Event, Outcome};
use windlass_app::assembly::People;
use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions};
use windlass_app::runs::{OpenQuestions, Session, SessionOptions, StoredAnswer, store_answer};
use windlass_app::{Confinement, RunSettings};
use windlass_mock::{Script, ScriptedProvider};

use crate::place::Place;

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "b.txt", "content": "hi\n"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "written"}}}]}
]}"#;

fn settings(place: &Place, provider: &ScriptedProvider) -> RunSettings {
    let mut choice = ProviderChoice::default();
    choice.base_url = Some(provider.base_url());
    choice.model = Some("scripted-1".to_owned());
    let provider = Provider::select(&place.app, &choice, &ProviderOptions::default()).unwrap();
    let mut settings = RunSettings::new("write b.txt", provider, &place.project()).unwrap();
    settings.sandbox = Confinement::Off;
    settings.no_checkpoints = true;
    settings
}

/// Reads a session to its end, and returns the id of the run and its outcome.
async fn read_to_end(mut session: Session) -> (String, Outcome) {
    let mut last = None;
    while let Some(event) = session.events.next().await {
        let event = event.unwrap();
        session.inbox.follow(&event);
        if let Event::Finished { outcome, .. } = event {
            last = Some(outcome);
        }
    }
    (session.folder.id, last.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_from_outside_and_the_run_is_resumed() {
    let (place, other) = (Place::new(), Place::new());
    let provider = ScriptedProvider::start(Script::parse(SCRIPT).unwrap(), 0).await.unwrap();
    let options = SessionOptions::new(People::suspend());
    let session = Session::start(&place.app, settings(&place, &provider), &options).await.unwrap();
    let (id, suspended) = read_to_end(session).await;
    assert!(matches!(suspended, Outcome::Suspended { .. }), "{suspended:?}");
    assert!(!place.project().join("b.txt").exists());
    assert!(other.app.find_run(&id).is_err(), "another user does not see the run");

    let run = place.app.find_run(&id).unwrap();
    let open = OpenQuestions::load(&run).unwrap();
    let [question] = open.questions.as_slice() else { panic!("{open:?}") };
    store_answer(&run, &StoredAnswer::approval(question, true, None)).unwrap();
    let session = Session::resume(&place.app, run, &options, false).await.unwrap();
    let (resumed, completed) = read_to_end(session).await;
    assert_eq!(resumed, id);
    assert!(matches!(completed, Outcome::Completed { .. }), "{completed:?}");
    assert_eq!(std::fs::read_to_string(place.project().join("b.txt")).unwrap(), "hi\n");
    assert!(OpenQuestions::load(&place.app.find_run(&id).unwrap()).unwrap().is_empty());
    provider.shutdown().await;
}
