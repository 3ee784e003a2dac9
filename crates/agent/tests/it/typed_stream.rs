//! Typed answers while they stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt;
use serde_json::{Value, json};
use windlass_agent::{Agent, AgentError, Event, TypedEvent, TypedStream};
use windlass_partial_json::Parser;
use windlass_protocol::{RawJson, Request, StopReason, ToolProtocol};
use windlass_stream::{Chunk, ChunkStream, Model, ModelFuture};
use windlass_testkit::growth::{self, MEGABYTE, Shape};
use windlass_tool_args::ToolArgs;

use crate::scene::{Scene, Way, way, ways};

#[derive(Clone, Debug, PartialEq, ToolArgs)]
struct City {
    name: String,
    people: u64,
}

#[derive(Clone, Debug, PartialEq, ToolArgs)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Found {
    City { name: String },
    Nothing { reason: String },
}

#[derive(Clone, Debug, PartialEq, serde::Deserialize, windlass_tool_args::schemars::JsonSchema)]
#[schemars(crate = "windlass_tool_args::schemars")]
#[serde(untagged)]
enum Size {
    Number(u64),
    Words(String),
    Range { from: u64, to: u64 },
}

const KYOTO: &str = r#"{"name": "Kyoto", "people": 1400000}"#;

fn kyoto() -> City {
    City { name: "Kyoto".into(), people: 1_400_000 }
}

fn scene(way: Way, texts: &[&str]) -> Scene {
    let turn = |text: &&str| json!({ "steps": [{ "text": text }], "piece": 3 });
    let script = json!({ "turns": texts.iter().map(turn).collect::<Vec<_>>() });
    Scene::new(&script.to_string(), way).without_completion()
}

fn agent(scene: &Scene) -> Agent {
    scene.builder().build().unwrap()
}

/// The events of a typed answer, without those of the run.
async fn typed<T: serde::de::DeserializeOwned>(mut stream: TypedStream<'_, T>) -> Vec<TypedEvent<T>> {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event.unwrap());
    }
    events.retain(|event| !matches!(event, TypedEvent::Run(_)));
    events
}

fn answer<T>(events: &[TypedEvent<T>]) -> &T {
    let last = events.iter().rev().take(1).find_map(|event| match event {
        TypedEvent::Answer(report) => Some(report),
        _ => None,
    });
    let report = last.unwrap();
    let answers = events.iter().filter(|event| matches!(event, TypedEvent::Answer(_))).count();
    assert_eq!(answers, 1, "exactly one answer");
    &report.answer
}

// Each partial value equals the value that a parser of the prefix returns, in each format and protocol.
#[tokio::test]
async fn partial_answers_grow_to_the_answer_in_every_wire_format_and_protocol() {
    for way in ways() {
        let place = format!("{} {:?}", way.wire.name(), way.protocol);
        let words = format!("Of course:\n```json\n{KYOTO}\n```\nDone.");
        let scene = scene(way, &[&words]);
        let mut stream = agent(&scene).stream_as::<City>("Which?");
        let (mut text, mut partials, mut names, mut answer) = (String::new(), 0, Vec::new(), None);
        while let Some(event) = stream.next().await {
            match event.unwrap() {
                TypedEvent::Run(Event::Text { text: more }) => text.push_str(&more),
                TypedEvent::Partial => {
                    partials += 1;
                    let start = text.find('{').unwrap();
                    let mut parser = Parser::new();
                    let _: Result<_, _> = parser.push(&text[start..]);
                    assert_eq!(stream.to_value(), parser.snapshot().to_value(), "{place}");
                    if let Some(city) = stream.partial().growing() {
                        names.push(city.name.as_str().to_owned());
                    }
                }
                TypedEvent::Answer(report) => answer = Some(report.answer),
                TypedEvent::Run(_) => {}
                other => panic!("{place}: {other:?}"),
            }
        }
        assert_eq!(answer, Some(kyoto()), "{place}");
        assert_eq!(stream.partial().complete(), Some(&kyoto()), "{place}");
        assert!(partials > 3, "{place}: {partials}");
        assert!(names.windows(2).all(|pair| pair[1].starts_with(&pair[0])), "{place}: {names:?}");
        assert!(names.iter().any(|name| !name.is_empty() && name != "Kyoto"), "{place}: {names:?}");
    }
}

#[tokio::test]
async fn a_correction_is_an_event_with_its_reason() {
    for texts in [
        ["Kyoto.", r#"{"name": "Kyoto", "people": "many"}"#, KYOTO],
        [r#"{"name": "Kyoto"}"#, r#"{"name": "Kyoto", "peo"#, KYOTO],
    ] {
        let scene = scene(way(), &texts);
        let agent = agent(&scene);
        let mut session = agent.session();
        let events = typed(session.stream_as::<City>("Which?")).await;
        assert_eq!(answer(&events), &kyoto());
        let mut corrections = Vec::new();
        for event in &events {
            if let TypedEvent::Correction { number, problem, text } = event {
                corrections.push((*number, text.as_str()));
                let last = scene.model.requests().pop().unwrap().to_string();
                assert!(last.contains(problem.split('"').next().unwrap()), "{problem}: {last}");
            }
        }
        assert_eq!(corrections, [(1, texts[0]), (2, texts[1])]);
        let Some(TypedEvent::Answer(report)) = events.last() else { unreachable!() };
        assert_eq!(report.report.used.requests, 3, "the corrections count");
        assert_eq!(session.tasks(), 3);
        // A value that was shown and did not fit is withdrawn before the next one.
        let mut shown = false;
        for event in &events {
            match event {
                TypedEvent::Partial => shown = true,
                TypedEvent::Discarded => {
                    assert!(shown);
                    shown = false;
                }
                _ => {}
            }
        }
        assert!(shown, "the answer is shown at the end");
    }
}

#[tokio::test]
async fn an_answer_that_never_fits_ends_the_stream_with_one_error() {
    let scene = scene(way(), &["One.", "Two.", "Three.", "Four."]);
    let mut stream = agent(&scene).stream_as::<City>("Which?");
    let (mut corrections, mut error) = (0, None);
    while let Some(event) = stream.next().await {
        assert!(error.is_none(), "nothing follows the error");
        match event {
            Ok(TypedEvent::Correction { .. }) => corrections += 1,
            Ok(TypedEvent::Answer(_)) => panic!("an answer"),
            Ok(_) => {}
            Err(wrong) => error = Some(wrong),
        }
    }
    assert!(matches!(&error, Some(AgentError::Answer { text, .. }) if text == "Three."), "{error:?}");
    assert_eq!(corrections, 2);
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn unions_and_plain_values_stream_with_and_without_their_object() {
    let city = Found::City { name: "Kyoto".into() };
    for text in [r#"{"answer": {"kind": "city", "name": "Kyoto"}}"#, r#"{"kind": "city", "name": "Kyoto"}"#] {
        let scene = scene(way(), &[text]);
        assert_eq!(agent(&scene).run_as::<Found>("Which?").await.unwrap().answer, city);
    }
    for (text, size) in [
        (r#"{"answer": 4}"#, Size::Number(4)),
        (r#"{"answer": "large"}"#, Size::Words("large".into())),
        (r#"{"answer": {"from": 1, "to": 2}}"#, Size::Range { from: 1, to: 2 }),
        ("4", Size::Number(4)),
        ("```json\n\"large\"\n```", Size::Words("large".into())),
        (r#"It is {"from": 1, "to": 2}."#, Size::Range { from: 1, to: 2 }),
    ] {
        let scene = scene(way(), &[text]);
        assert_eq!(agent(&scene).run_as::<Size>("Which?").await.unwrap().answer, size, "{text}");
    }
    let scene = scene(way(), &[r#"{"answer": "Kyoto and Nara"}"#]);
    let mut stream = agent(&scene).stream_as::<String>("Which?");
    let mut shown = Vec::new();
    while let Some(event) = stream.next().await {
        if matches!(event.unwrap(), TypedEvent::Partial) {
            shown.push(stream.partial().as_str().to_owned());
        }
    }
    assert_eq!(shown.last().map(String::as_str), Some("Kyoto and Nara"));
    assert!(shown.contains(&"Kyoto and".to_owned()), "{shown:?}");
}

#[tokio::test]
async fn a_schema_that_is_known_at_run_time_is_enforced_and_checked() {
    let schema =
        json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 2}}});
    let schema = RawJson::from(&schema);
    for way in ways() {
        let is_native = way.protocol == ToolProtocol::Native;
        let scene = scene(way, &[r#"{"n": 1}"#, r#"{"n": 3}"#]);
        let report = agent(&scene).run_with_schema("Which?", &schema).await.unwrap();
        assert_eq!(report.answer, json!({"n": 3}));
        assert_eq!(scene.model.requests().len(), 2);
        let request = scene.model.requests()[0].to_string();
        assert_eq!(request.contains("Answer with one JSON object"), !is_native, "{request}");
    }
    let scene = scene(way(), &[r#"{"answer": [1]}"#]);
    let agent = agent(&scene);
    let list = RawJson::from(&json!({"type": "array", "items": {"type": "integer"}}));
    let events = typed(agent.session().stream_with_schema("Which?", &list).unwrap()).await;
    assert_eq!(answer(&events), &json!([1]));
    let wrong = RawJson::from(&json!({"type": 1}));
    assert!(matches!(agent.run_with_schema("Which?", &wrong).await, Err(AgentError::Schema { .. })));
}

#[tokio::test]
async fn a_dropped_stream_stops_the_run_and_leaves_the_session_usable() {
    let scene = scene(way(), &[KYOTO, KYOTO]);
    let agent = agent(&scene);
    let mut session = agent.session();
    {
        let mut stream = session.stream_as::<City>("Which?");
        while let Some(event) = stream.next().await {
            if matches!(event.unwrap(), TypedEvent::Partial) {
                break;
            }
        }
    }
    assert_eq!((session.tasks(), scene.model.requests().len()), (0, 1));
    assert_eq!(session.send_as::<City>("Which?").await.unwrap().answer, kyoto());
    assert_eq!(session.tasks(), 1);
}

#[tokio::test]
async fn an_attempt_that_breaks_discards_its_partial_answer() {
    let script = json!({"turns": [{
        "steps": [{"text": KYOTO}], "piece": 3,
        "hostile": {"switch": "cut", "after_bytes": 700, "times": 1}}]});
    let scene = Scene::new(&script.to_string(), way()).without_completion();
    tokio::time::pause();
    let events = typed(agent(&scene).stream_as::<City>("Which?")).await;
    assert_eq!(answer(&events), &kyoto());
    assert_eq!(events.iter().filter(|event| matches!(event, TypedEvent::Discarded)).count(), 1);
}

/// A model that sends a text in pieces of 64 bytes.
struct Long(String);

impl Model for Long {
    fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
        let pieces = self.0.as_bytes().chunks(64).map(|piece| Chunk::text(String::from_utf8_lossy(piece)));
        let end = Chunk::Finish { reason: StopReason::End, raw: "stop".into() };
        let chunks: Vec<_> = pieces.chain([end]).map(Ok).collect();
        Box::pin(async { Ok(Box::pin(futures_util::stream::iter(chunks)) as ChunkStream) })
    }
}

// The whole run of an answer of a mebibyte, with its partial value after each piece.
#[test]
fn answers_of_a_mebibyte() {
    let shapes = [
        Shape::new(r#"{"answer": [""#, "word ", r#""]}"#),
        Shape::new(r#"{"answer": ["#, r#""number {n}", "#, r#""end"]}"#),
        Shape::new("Words { ", "and { words } ", r#"{"answer": []}"#),
    ];
    growth::check("typed_stream::answers_of_a_mebibyte", MEGABYTE, &shapes, |text| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let pieces = Arc::new(AtomicUsize::new(0));
        runtime.block_on(async {
            let agent = Agent::builder().model(Long(text.to_owned()), "long").build().unwrap();
            let mut stream = agent.stream_as::<Vec<String>>("Write.");
            while let Some(event) = stream.next().await {
                match event.unwrap() {
                    TypedEvent::Partial => {
                        let list = stream.partial();
                        pieces
                            .fetch_add(list.growing().map_or(0, |list| list.len().min(1)), Ordering::Relaxed);
                    }
                    TypedEvent::Answer(report) => assert!(report.answer.len() < text.len()),
                    _ => {}
                }
            }
        });
    });
}

#[test]
fn a_typed_stream_moves_between_threads() {
    fn assert_send<T: Send>() {}
    assert_send::<TypedStream<'static, City>>();
    assert_send::<TypedStream<'static, Value>>();
}
