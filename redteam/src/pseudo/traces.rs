//! Cases about spans: a real run has its secret in arguments and results, and the test collects all data of
//! its spans.

use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{bail, ensure};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::{Layer, Registry};
use windlass_telemetry::{Content, SpanOptions};

use crate::case::Stage;
use crate::engine::Engine;
use crate::observed::Observation;
use crate::session::Session;

/// A text beside the secret in the arguments. It proves that the trace contains the arguments.
const BESIDE: &str = "beside-the-secret.txt";

/// Runs the case with default spans, and with spans that include all content.
pub(super) async fn run(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let members = super::members(stage, &["span"])?;
    let span = match super::text(members, "span")? {
        "tool" => "execute_tool",
        "model" => "chat",
        "agent" => "invoke_agent",
        other => bail!("the span `{other}` is not known"),
    };
    let (plain, _) = collect_traces(stage, Content::LeftOut).await?;
    let (whole, observed) = collect_traces(stage, Content::Kept).await?;
    ensure!(plain.contains(span) && whole.contains(span), "the span {span} is missing");
    ensure!(!plain.contains(BESIDE), "a span has arguments that nobody asked for");
    ensure!(whole.contains(BESIDE), "no span has the arguments that were asked for");
    Ok(observed.with_value("trace", plain + &whole))
}

/// Returns all text of the spans of a run.
async fn collect_traces(stage: &Stage<'_>, content: Content) -> anyhow::Result<(String, Observation)> {
    let secret = &stage.scene.secret;
    let engine = Engine::new(stage.scene, stage.setup)?;
    let written = json!({"path": BESIDE, "content": format!("the key is {secret}")}).to_string();
    let steps = [
        vec![engine.step("read_file", r#"{"path":".env"}"#)],
        vec![engine.step("write_file", &written)],
        vec![engine.step(secret, "{}")],
    ];
    let mut session = Session::for_turns(engine, &steps, stage.setup.answers);
    session.spans = SpanOptions::default()
        .with_model("scripted")
        .with_agent("redteam")
        .with_conversation("case")
        .with_content(content);
    let words = Arc::<Mutex<String>>::default();
    let listening = tracing::subscriber::set_default(Registry::default().with(Gatherer(Arc::clone(&words))));
    let ran = session.run().await;
    drop(listening);
    let words = words.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok((words, ran?.observe(stage.setup.answers)))
}

/// A tracing layer that collects all data of spans and events.
struct Gatherer(Arc<Mutex<String>>);

struct Words<'a>(&'a mut String);

impl Visit for Words<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{}={value}", field.name());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = writeln!(self.0, "{}={value:?}", field.name());
    }
}

impl Gatherer {
    fn write(&self, tell: impl FnOnce(&mut Words<'_>)) {
        tell(&mut Words(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)));
    }
}

impl<S: Subscriber> Layer<S> for Gatherer {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        self.write(|words| {
            words.0.push_str(attributes.metadata().name());
            words.0.push('\n');
            attributes.record(words);
        });
    }

    fn on_record(&self, _: &Id, record: &Record<'_>, _: Context<'_, S>) {
        self.write(|words| record.record(words));
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        self.write(|words| event.record(words));
    }
}
