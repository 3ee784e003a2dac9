//! Functions with state, and methods as tools.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use expect_test::expect;
use windlass_protocol::{Effect, Hints};
use windlass_tool_args::{
    Context, GrowingArguments, Progress, ProgressSink, State, Tool, ToolArgs, ToolSet, tool, toolset,
};

use crate::call::{call, payload, spec};

/// A store without `Clone` and `Debug`.
#[derive(Default)]
struct Store {
    notes: Mutex<BTreeMap<String, String>>,
}

impl Store {
    fn count(&self) -> usize {
        self.notes.lock().unwrap().len()
    }
}

struct Prefix(&'static str);

/// Stores a note.
#[tool(internal)]
async fn put_note(
    store: State<Arc<Store>>,
    title: String,
    State(prefix): State<Prefix>,
    text: String,
    ctx: &Context,
) -> usize {
    ctx.tell(Progress::Note(title.clone()));
    store.notes.lock().unwrap().insert(format!("{}{title}", prefix.0), text);
    store.count()
}

/// Counts the notes.
#[tool(read_only)]
fn count_notes(store: State<Store>) -> usize {
    store.count()
}

/// Looks up a note.
#[tool]
fn find_note(store: State<dyn Lookup>, title: String) -> Option<String> {
    store.find(&title)
}

trait Lookup: Send + Sync {
    fn find(&self, title: &str) -> Option<String>;
}

impl Lookup for Store {
    fn find(&self, title: &str) -> Option<String> {
        self.notes.lock().unwrap().get(title).cloned()
    }
}

#[tokio::test]
async fn all_calls_of_a_tool_share_its_state() {
    let store = Arc::new(Store::default());
    let tool = PutNote(Arc::clone(&store), Prefix("my "));
    assert_eq!(call(&tool, r#"{"title": "a", "text": "one"}"#).await, "Ok: 1");
    assert_eq!(call(&tool.clone(), r#"{"title": "b", "text": "two"}"#).await, "Ok: 2");
    assert_eq!(store.notes.lock().unwrap().keys().collect::<Vec<_>>(), ["my a", "my b"]);
    // The state may be the value, its `Arc`, or a `State`.
    assert_eq!(call(&CountNotes(Arc::clone(&store)), "{}").await, "Ok: 2");
    assert_eq!(call(&CountNotes(State(Arc::clone(&store))), "{}").await, "Ok: 2");
    assert_eq!(call(&CountNotes(Store::default()), "{}").await, "Ok: 0");
    let lookup: Arc<dyn Lookup> = store;
    assert_eq!(call(&FindNote(lookup), r#"{"title": "my a"}"#).await, "Ok: one");
}

// The model neither sees nor sets the state.
#[test]
fn state_is_not_an_argument() {
    let tool: PutNoteTool = PutNote(Arc::new(Store::default()), Prefix(""));
    expect![[r#"
        put_note
        Stores a note.
        {"type":"object","properties":{"title":{"type":"string"},"text":{"type":"string"}},"required":["title","text"],"additionalProperties":false}"#]]
    .assert_eq(&spec(&tool));
    assert_eq!(format!("{tool:?}"), "PutNoteTool { .. }");
    assert_eq!(CountNotes(Store::default()).hints(), Hints::read_only());
}

/// A note.
#[derive(Debug, ToolArgs)]
struct Note {
    /// The name of the note.
    title: String,
    text: String,
}

/// A store whose methods are tools, over any kind of clock.
struct Diary<C> {
    store: Store,
    clock: C,
}

trait Clock: Send + Sync + 'static {
    fn day(&self) -> u32;
}

impl Clock for u32 {
    fn day(&self) -> u32 {
        *self
    }
}

#[toolset]
impl<C: Clock> Diary<C>
where
    C: Clone,
{
    /// Writes a note of the day.
    #[tool(effects = Self::put_effects, on_partial = Self::show)]
    async fn put(
        &self,
        #[serde(flatten)] Note { title, text }: Note,
        ctx: &Context,
    ) -> Result<usize, std::fmt::Error> {
        ctx.tell(Progress::Note(title.clone()));
        self.insert(format!("{} {title}", self.clock.clone().day()), text)
    }

    /// Reads a note.
    #[tool(name = "read_note", read_only)]
    fn get(
        self: Arc<Self>,
        /// The name of the
        /// note.
        title: String,
        #[serde(default)] upper: bool,
    ) -> Option<String> {
        let text = self.store.notes.lock().unwrap().get(&title).cloned();
        text.map(|text| if upper { text.to_uppercase() } else { text })
    }

    /// Counts the notes.
    #[tool]
    async fn count(self: &Arc<Self>) -> usize {
        self.store.count()
    }

    /// Needs no diary.
    #[windlass_tool_args::tool]
    fn version() -> &'static str {
        "1"
    }

    #[cfg(any())]
    /// Is another variant of a tool above.
    #[tool(name = "version")]
    fn other_version() -> &'static str {
        "2"
    }

    #[cfg(any())]
    /// Is compiled for no platform.
    #[tool]
    fn never(&self) {}

    fn insert(&self, title: String, text: String) -> Result<usize, std::fmt::Error> {
        if text.is_empty() {
            return Err(std::fmt::Error);
        }
        self.store.notes.lock().unwrap().insert(title, text);
        Ok(self.store.count())
    }

    fn put_effects(note: &Note) -> Vec<Effect> {
        vec![Effect::Write { path: note.title.clone(), bytes: None }]
    }

    fn show(show: &mut ProgressSink<'_>, note: &PartialNote) {
        show.tell(Progress::Note(note.title.as_str().to_owned()));
    }
}

fn diary() -> Arc<Diary<u32>> {
    Arc::new(Diary { store: Store::default(), clock: 7 })
}

#[tokio::test]
async fn methods_are_tools_that_share_one_value() {
    let diary = diary();
    let tools = diary.tools();
    let names: Vec<_> = tools.iter().map(|tool| tool.spec().name().as_str()).collect();
    assert_eq!(names, ["put", "read_note", "count", "version"]);
    let [put, get, count, version] = tools.as_slice() else { panic!("expected four tools") };
    assert_eq!(call(&**put, r#"{"title": "a", "text": "one"}"#).await, "Ok: 1");
    assert_eq!(call(&**get, r#"{"title": "7 a", "upper": true}"#).await, "Ok: ONE");
    assert_eq!(call(&**count, "{}").await, "Ok: 1");
    assert_eq!(call(&**version, "{}").await, "Ok: 1");
    assert_eq!(diary.store.count(), 1);
    assert_eq!(
        call(&**put, r#"{"title": "a", "text": ""}"#).await,
        std::fmt::Error.to_string(),
        "an error is its text"
    );
    // The methods stay methods.
    assert_eq!(Arc::clone(&diary).get("7 a".into(), false).as_deref(), Some("one"));
}

#[test]
fn a_method_has_the_options_of_a_function() {
    let tools = diary().tools();
    assert_eq!(tools[1].hints(), Hints::read_only());
    let write = Effect::Write { path: "a".into(), bytes: None };
    assert_eq!(tools[0].effects(&payload(r#"{"title": "a", "text": ""}"#)), [write]);
    assert_eq!(tools[0].effects(&payload("{}")), [Effect::Unknown], "arguments that do not fit");
    assert_eq!(tools[2].effects(&payload("{}")), [Effect::Unknown]);
    expect![[r#"
        read_note
        Reads a note.
        {"type":"object","properties":{"title":{"type":"string","description":"The name of the note."},"upper":{"type":"boolean","default":false}},"required":["title"],"additionalProperties":false}"#]]
    .assert_eq(&spec(&*tools[1]));
    let mut shown = Vec::new();
    let mut arguments = GrowingArguments::default();
    arguments.push(r#"{"title": "a"#);
    tools[0].on_partial(&mut ProgressSink::new(&mut |progress| shown.push(progress)), &mut arguments);
    assert_eq!(shown, [Progress::Note("a".into())]);
}
