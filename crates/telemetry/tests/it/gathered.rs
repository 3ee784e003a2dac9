//! A subscriber that stores the spans.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

/// The attributes of a span or an event.
pub(crate) type Fields = BTreeMap<String, String>;

/// A span as the subscriber received it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered {
    id: u64,
    parent: Option<u64>,
    pub(crate) name: &'static str,
    pub(crate) fields: Fields,
    /// In which order it was opened and closed among all of them; 0 is never.
    pub(crate) opened: usize,
    pub(crate) closed: usize,
    /// Messages within it, with their attributes.
    pub(crate) events: Vec<Fields>,
}

/// All spans of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct All(pub(crate) Vec<Gathered>);

#[derive(Default)]
struct Told {
    spans: Vec<Gathered>,
    steps: usize,
}

struct Gatherer(Arc<Mutex<Told>>);

struct Visitor<'a>(&'a mut Fields);

impl Visit for Visitor<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Gatherer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, ctx: Context<'_, S>) {
        let mut told = self.0.lock().unwrap();
        told.steps += 1;
        let mut fields = Fields::new();
        attributes.record(&mut Visitor(&mut fields));
        let parent = ctx.span(id).and_then(|span| span.parent()).map(|parent| parent.id().into_u64());
        let (name, opened) = (attributes.metadata().name(), told.steps);
        let id = id.into_u64();
        told.spans.push(Gathered { id, parent, name, fields, opened, ..Gathered::default() });
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, _: Context<'_, S>) {
        self.within(id, |span| record.record(&mut Visitor(&mut span.fields)));
    }

    fn on_event(&self, event: &Event<'_>, ctx: Context<'_, S>) {
        let Some(id) = ctx.event_span(event).map(|span| span.id()) else { return };
        let mut fields = Fields::new();
        event.record(&mut Visitor(&mut fields));
        self.within(&id, |span| span.events.push(fields));
    }

    fn on_close(&self, id: Id, _: Context<'_, S>) {
        let steps = {
            let mut told = self.0.lock().unwrap();
            told.steps += 1;
            told.steps
        };
        self.within(&id, |span| span.closed = steps);
    }
}

impl Gatherer {
    /// Returns the newest span with an id, because ids are reused.
    fn within(&self, id: &Id, change: impl FnOnce(&mut Gathered)) {
        let mut told = self.0.lock().unwrap();
        if let Some(span) = told.spans.iter_mut().rev().find(|span| span.id == id.into_u64()) {
            change(span);
        }
    }
}

/// Returns all spans of some work on this thread.
pub(crate) fn gathered(work: impl FnOnce()) -> All {
    let told = Arc::<Mutex<Told>>::default();
    let subscriber = Registry::default().with(Gatherer(Arc::clone(&told)));
    tracing::subscriber::with_default(subscriber, work);
    let spans = told.lock().unwrap().spans.clone();
    All(spans)
}

impl All {
    /// The spans of a kind, in the order in which they were opened.
    pub(crate) fn named(&self, name: &str) -> Vec<&Gathered> {
        self.0.iter().filter(|span| span.name == name).collect()
    }

    /// The only span of a kind.
    #[track_caller]
    pub(crate) fn one(&self, name: &str) -> &Gathered {
        let found = self.named(name);
        assert_eq!(found.len(), 1, "{name}: {self:?}");
        found[0]
    }

    /// Checks that every span is closed, and that the run's span encloses all others.
    #[track_caller]
    pub(crate) fn check(&self) {
        let run = self.one("invoke_agent");
        for span in &self.0 {
            assert!(span.closed > span.opened, "{span:?} is closed");
            assert!(span.closed <= run.closed && span.opened >= run.opened, "{span:?} lies in the run");
            if span.name != "invoke_agent" {
                assert_eq!(span.parent, Some(run.id), "{span:?}");
            }
            let is_failed = span.fields.contains_key("error.type");
            assert_eq!(is_failed, span.get("otel.status_code") == "ERROR", "{span:?}");
            assert!(span.fields.keys().all(|name| !name.contains('#')), "{span:?}");
        }
    }

    /// All text in the spans.
    pub(crate) fn words(&self) -> String {
        format!("{self:?}")
    }
}

impl Gathered {
    /// An attribute; an empty text if it is not there.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// Some attributes.
    #[track_caller]
    pub(crate) fn has(&self, expected: &[(&str, &str)]) {
        for (name, value) in expected {
            assert_eq!(self.get(name), *value, "{name} of {self:?}");
        }
    }
}

impl Gathered {
    /// Returns true if another span is opened directly in this one.
    pub(crate) fn has_within(&self, other: &Self) -> bool {
        other.parent == Some(self.id)
    }
}
