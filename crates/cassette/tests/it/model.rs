//! Models without HTTP.

use std::path::Path;
use std::time::Duration;

use futures_util::StreamExt as _;
use windlass_agent::Agent;
use windlass_cassette::{Cassette, CassetteMode, CassetteOptions};
use windlass_mock::MockModel;
use windlass_protocol::{Message, Request};
use windlass_stream::{ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture};

fn open(file: &Path) -> Cassette {
    let options = CassetteOptions::default().with_variables(|_| None);
    Cassette::open_with(file, &options).unwrap()
}

async fn ask(cassette: &Cassette, model: impl Model + 'static, task: &str) -> String {
    let agent = Agent::builder().model(cassette.model(model), "local-1").build().unwrap();
    agent.run(task).await.unwrap().into_text().unwrap()
}

#[tokio::test]
async fn a_model_in_the_process_is_recorded_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("local.jsonl");
    let cassette = open(&file);
    assert!(cassette.is_recording());
    assert_eq!(ask(&cassette, MockModel::new().thinking("hm").text("Graz"), "Where?").await, "Graz");
    cassette.finish().unwrap();

    let cassette = open(&file);
    assert!(!cassette.is_recording());
    // The live model has no answer: the cassette has it.
    assert_eq!(ask(&cassette, MockModel::new(), "Where?").await, "Graz");
    cassette.finish().unwrap();

    let cassette = open(&file);
    let agent = Agent::builder().model(cassette.model(MockModel::new()), "local-1").build().unwrap();
    let _: Result<_, _> = agent.run("When?").await;
    let differences = cassette.differences();
    assert!(!differences.is_empty());
    assert!(cassette.finish().unwrap_err().to_string().contains("When?"), "{differences:?}");
}

/// A model that fails before or inside of its answer.
struct Failing {
    is_late: bool,
}

fn failure() -> ModelError {
    ModelError::new(ModelErrorKind::RateLimit, "slow down")
        .with_retry_after(Some(Duration::from_secs(3)))
        .with_request_id(Some("r-1".to_owned()))
}

impl Model for Failing {
    fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
        Box::pin(async {
            if !self.is_late {
                return Err(failure());
            }
            let items = [Ok(windlass_stream::Chunk::text("Gr")), Err(failure())];
            Ok(Box::pin(futures_util::stream::iter(items)) as ChunkStream)
        })
    }
}

#[tokio::test]
async fn errors_of_a_model_keep_their_kind_and_wait() {
    for is_late in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("local.jsonl");
        for round in 0..2 {
            let cassette = open(&file);
            let model = cassette.model(Failing { is_late });
            let request = Request::new("local-1", vec![Message::user("hi")]);
            let error = match model.stream(&request).await {
                Err(error) => error,
                Ok(mut chunks) => {
                    assert!(is_late && chunks.next().await.unwrap().is_ok(), "{round}");
                    let error = chunks.next().await.unwrap().unwrap_err();
                    assert!(chunks.next().await.is_none());
                    error
                }
            };
            assert_eq!((error.kind, error.message.as_str()), (ModelErrorKind::RateLimit, "slow down"));
            assert_eq!(error.retry_after, Some(Duration::from_secs(3)));
            assert_eq!(error.request_id.as_deref(), Some("r-1"));
            cassette.finish().unwrap();
        }
    }
}

#[tokio::test]
async fn a_damaged_answer_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("local.jsonl");
    let cassette = open(&file);
    ask(&cassette, MockModel::new().text("Graz"), "Where?").await;
    cassette.finish().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("chunk"), "{text}");
    std::fs::write(
        &file,
        text.replace(r#"{\\"chunk\\""#, r#"{\\"chank\\""#).replace(r#"{\"chunk\""#, r#"{\"chank\""#),
    )
    .unwrap();
    let options = CassetteOptions::default().with_mode(CassetteMode::Replay).with_variables(|_| None);
    let cassette = Cassette::open_with(&file, &options).unwrap();
    let model = cassette.model(MockModel::new());
    let agent = Agent::builder().model(model, "local-1").build().unwrap();
    let error = agent.run("Where?").await.unwrap_err().to_string();
    assert!(error.contains("the recorded answer of the model"), "{error}");
}
