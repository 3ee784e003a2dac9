//! Providers that refuse pictures (correctness-3, 1).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use windlass_agent::{Agent, Entry, Event, Outcome, RunOptions, Transcript};
use windlass_journal::Journal;
use windlass_protocol::{
    Effect, Hints, Image, Message, Part, Payload, Refusal, RefusalKind, Request, Role, StopReason, ToolName,
    ToolSpec,
};
use windlass_stream::{
    CallChunk, Chunk, ChunkStream, Model, ModelError, ModelErrorKind, ModelFuture, WholeCall,
};
use windlass_tool::{Context, Output, Tool, ToolFuture};
use windlass_toolbox::{Preset, ToolConfig, Toolbox};

use crate::scene::{Shared, events};

/// A tool of another program, whose picture this program has not checked.
struct Camera(ToolSpec);

impl Tool for Camera {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, _: &'a Context, _: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async { Ok(Output::text("a photo").with_image(Image::base64("image/png", "bm90IG9uZQ=="))) })
    }
}

/// The form in which a model refuses a picture.
#[derive(Clone)]
enum Says {
    Kind(ModelErrorKind, &'static str),
    /// The format refuses the picture before anything is sent.
    Check(RefusalKind, &'static str),
}

/// A model that takes a photo and is done, and refuses every request that has a picture.
#[derive(Clone)]
struct Blind {
    says: Says,
    asked: Arc<Mutex<Vec<Request>>>,
    refused: Arc<AtomicUsize>,
}

impl Blind {
    fn new(says: Says) -> Self {
        Self { says, asked: Arc::default(), refused: Arc::default() }
    }
}

fn has_picture(request: &Request) -> bool {
    request.messages.iter().flat_map(|message| &message.parts).any(|part| match part {
        Part::Image(_) => true,
        Part::Result(result) => result.images().next().is_some(),
        _ => false,
    })
}

impl Model for Blind {
    fn stream<'a>(&'a self, request: &'a Request) -> ModelFuture<'a> {
        if let (Says::Kind(kind, words), true) = (&self.says, has_picture(request)) {
            self.refused.fetch_add(1, Ordering::SeqCst);
            let error = ModelError::new(*kind, *words);
            return Box::pin(async { Err(error) });
        }
        self.asked.lock().unwrap().push(request.clone());
        let has_results = request.messages.iter().any(|message| message.role == Role::Tool);
        let (chunk, reason) = if has_results {
            (Chunk::text("done"), StopReason::End)
        } else {
            let call = CallChunk::Whole {
                id: Some("c1".into()),
                name: "photo".into(),
                body: WholeCall::Arguments("{}".into()),
                opaque: None,
            };
            (Chunk::Call(call), StopReason::Calls)
        };
        let chunks = [chunk, Chunk::Finish { reason, raw: "end".into() }];
        Box::pin(async { Ok(Box::pin(futures_util::stream::iter(chunks.map(Ok))) as ChunkStream) })
    }

    fn check(&self, request: &Request) -> Vec<Refusal> {
        match self.says {
            Says::Check(kind, what) if has_picture(request) => {
                self.refused.fetch_add(1, Ordering::SeqCst);
                vec![Refusal::new(kind, "messages[2]", what)]
            }
            _ => Vec::new(),
        }
    }
}

fn agent(model: &Blind) -> Agent {
    let schema = r#"{"type":"object"}"#.parse().unwrap();
    let camera = Camera(ToolSpec::function(ToolName::new("photo").unwrap(), "A tool.", schema));
    let toolbox =
        Toolbox::builder().tool(Arc::new(camera)).config(ToolConfig::new(Preset::Full)).build().unwrap();
    Agent::builder().model(model.clone(), "blind").toolbox(toolbox).build().unwrap()
}

fn is_done(events: &[Event]) -> bool {
    matches!(events.last(), Some(Event::Finished { outcome: Outcome::Completed { text }, .. }) if text == "done")
}

fn has_failed(events: &[Event]) -> bool {
    matches!(events.last(), Some(Event::Finished { outcome: Outcome::Failed { .. }, .. }))
}

const REFUSALS: [Says; 4] = [
    Says::Kind(ModelErrorKind::Image, "status 400: bad request"),
    Says::Kind(ModelErrorKind::Refused, "status 400: Could not process image"),
    Says::Check(RefusalKind::Unsupported, "a picture of \"image/png\"; image/webp is taken"),
    Says::Check(RefusalKind::Image, "it takes text only"),
];

#[tokio::test]
async fn a_file_refusal_whose_message_mentions_pictures_ends_the_run() {
    let model =
        Blind::new(Says::Check(RefusalKind::File, "the file `a.pdf`, but it takes text and pictures only"));
    let told = events(agent(&model).stream("task")).await;
    assert!(has_failed(&told), "{told:?}");
    assert!(!told.iter().any(|event| matches!(event, Event::ImagesRemoved { .. })));
    assert_eq!(model.asked.lock().unwrap().len(), 1, "only the request before the photo was sent");
}

#[tokio::test]
async fn a_run_continues_without_a_picture_that_its_provider_refuses() {
    for says in REFUSALS {
        let model = Blind::new(says);
        let told = events(agent(&model).stream("task")).await;
        assert!(is_done(&told), "{told:?}");
        assert_eq!(model.refused.load(Ordering::SeqCst), 1);
        assert!(told.iter().any(|event| matches!(event, Event::ImagesRemoved { images: 1, .. })));
        let asked = model.asked.lock().unwrap();
        let results = asked[1].messages.iter().flat_map(|message| &message.parts);
        let words: String = results
            .filter_map(|part| if let Part::Result(result) = part { Some(result.wire_text()) } else { None })
            .collect();
        assert!(words.contains("a photo") && words.contains("[a picture was here"), "{words}");
    }
}

// Two records are resumed: one of an earlier version, which the refusal had ended, and one of a run that was killed
// right after the refusal.
#[tokio::test]
async fn a_resumed_run_does_not_meet_the_refusal_again() {
    let model = Blind::new(REFUSALS[1].clone());
    let journal = Shared::default();
    let options = |journal: &Shared| RunOptions::default().with_journal(journal.clone());
    events(agent(&model).stream_with("task", options(&journal))).await;
    let records = journal.records().unwrap();
    let removed = records
        .iter()
        .position(|record| matches!(record.read::<Entry>().unwrap(), Entry::ImagesRemoved { .. }))
        .unwrap();
    for (kept, refusals) in [(removed + 1, 0), (removed, 1)] {
        let cut = Shared::default();
        for record in &records[..kept] {
            cut.clone().append(record.body.clone(), 0, windlass_journal::Durability::Synced).unwrap();
        }
        let model = Blind::new(REFUSALS[1].clone());
        let told = events(agent(&model).resume(options(&cut)).unwrap()).await;
        assert!(is_done(&told), "{told:?}");
        assert_eq!(model.refused.load(Ordering::SeqCst), refusals, "{kept} entries");
    }
}

#[tokio::test]
async fn a_refusal_without_a_picture_to_replace_still_ends_the_run() {
    struct Deaf;
    impl Model for Deaf {
        fn stream<'a>(&'a self, _: &'a Request) -> ModelFuture<'a> {
            Box::pin(async { Err(ModelError::new(ModelErrorKind::Refused, "Could not process image")) })
        }
    }
    let agent = Agent::builder().model(Deaf, "deaf").build().unwrap();
    let told = events(agent.stream("task")).await;
    assert!(has_failed(&told), "{told:?}");
    // With a picture in the conversation, the request is repeated once without it.
    let said = Message::new(Role::User, vec![Part::Image(Image::base64("image/png", "cG5n"))]);
    let options = RunOptions::default().with_history(Transcript::import([said]).transcript);
    let told = events(agent.stream_with("task", options)).await;
    assert!(has_failed(&told), "{told:?}");
    let removed = told.iter().filter(|event| matches!(event, Event::ImagesRemoved { .. })).count();
    assert_eq!(removed, 1);
}

// The name of a tool is not a picture.
#[tokio::test]
async fn a_refusal_of_something_else_removes_no_image() {
    let says = Says::Kind(ModelErrorKind::Refused, "status 400: Invalid schema for function 'view_image'");
    let told = events(agent(&Blind::new(says)).stream("task")).await;
    assert!(has_failed(&told), "{told:?}");
    assert!(!told.iter().any(|event| matches!(event, Event::ImagesRemoved { .. })));
}
