//! Return types of functions, and the text that the model reads.

use std::error::Error;
use std::fmt;

use expect_test::{Expect, expect};
use serde::Serialize;
use windlass_protocol::{Content, ResultStatus};
use windlass_tool_args::{Output, Tool, ToolError, tool};

use crate::call::call;

#[derive(Serialize)]
struct Note {
    title: String,
    lines: u64,
    tags: Vec<&'static str>,
    author: Option<String>,
}

fn note() -> Note {
    Note { title: "plan".into(), lines: 3, tags: vec!["a", "b"], author: None }
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Open,
}

#[derive(Debug)]
enum StoreError {
    Full(std::num::ParseIntError),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the store is full; remove a note first")
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let Self::Full(source) = self;
        Some(source)
    }
}

/// An error that its author converts, because one variant ends the run.
#[derive(Debug)]
enum OwnError {
    Busy,
    Broken,
}

impl From<OwnError> for ToolError {
    fn from(error: OwnError) -> Self {
        match error {
            OwnError::Busy => Self::model("busy; call again"),
            OwnError::Broken => Self::fatal("broken"),
        }
    }
}

/// A text that its author converts, although it has a JSON form.
#[derive(Serialize)]
struct Page(String);

impl From<Page> for Output {
    fn from(page: Page) -> Self {
        Self::text(page.0).external()
    }
}

type Answer = Result<u8, ToolError>;

/// Makes one documented tool per return type.
macro_rules! tools {
    ($($name:ident -> $ty:ty { $($body:tt)* })*) => {
        $(
            /// Returns.
            #[tool]
            async fn $name() -> $ty { $($body)* }
        )*
    };
}

tools! {
    integer -> i64 { i64::MIN }
    large -> u64 { u64::MAX }
    real -> f64 { 0.5 }
    truth -> bool { true }
    letter -> char { 'x' }
    structure -> Note { note() }
    variant -> State { State::Open }
    list -> Vec<i64> { vec![1, 2] }
    notes -> Vec<Note> { vec![note()] }
    absent -> Option<Note> { None }
    words -> Option<String> { Some("a \"word\"".into()) }
    pair -> (String, u8) { ("a".into(), 1) }
    map -> std::collections::BTreeMap<(u8, u8), u8> { [((1, 2), 3)].into() }
    shared -> std::borrow::Cow<'static, str> { "shared".into() }
    own_output -> Page { Page("page".into()) }
    json_value -> serde_json::Value { serde_json::json!("kept as JSON") }
    content_list -> Vec<Content> { vec![Content::text("content")] }
    plain_output -> Output { Output::text("late").with_status(ResultStatus::TimedOut) }
    unit -> () {}
    fallible_unit -> Result<(), std::io::Error> { Ok(()) }
    fallible_number -> Result<usize, std::io::Error> { Ok("four".len()) }
    alias -> Answer { Ok(1) }
    io_error -> std::io::Result<String> { Err(std::io::ErrorKind::NotFound)?; Ok(String::new()) }
    two_errors -> anyhow::Result<i64> {
        use anyhow::Context as _;
        "seven".parse::<i64>().context("the limit is wrong")
    }
    boxed -> Result<i64, Box<dyn Error + Send + Sync>> { Ok("seven".parse::<i64>()?) }
    local -> Result<i64, Box<dyn Error>> { Ok("seven".parse::<i64>()?) }
    store_full -> Result<i64, StoreError> { "x".parse().map_err(StoreError::Full) }
    model_error -> Result<i64, OwnError> { Err(OwnError::Busy) }
    fatal_error -> Result<i64, OwnError> { Err(OwnError::Broken) }
    fatal_in_box -> Result<i64, Box<dyn Error + Send + Sync>> { Err(ToolError::fatal("broken"))? }
    from_io -> Result<i64, ToolError> { std::io::Result::Err(std::io::Error::other("full"))? }
    text_error -> Result<i64, String> { Err("no".into()) }
    nested -> Result<Result<u8, u8>, String> { Ok(Err(7)) }
}

/// Returns without being async.
#[tool]
fn direct() -> Result<Vec<u8>, std::num::ParseIntError> {
    Ok(vec!["1".parse()?])
}

/// Returns an opaque type.
#[tool]
fn opaque() -> impl Serialize {
    [1, 2]
}

async fn check(tool: impl Tool, expected: Expect) {
    expected.assert_eq(&call(&tool, "{}").await);
}

#[tokio::test]
async fn a_value_is_its_json_and_text_is_itself() {
    check(Integer, expect!["Ok: -9223372036854775808"]).await;
    check(Large, expect!["Ok: 18446744073709551615"]).await;
    check(Real, expect!["Ok: 0.5"]).await;
    check(Truth, expect!["Ok: true"]).await;
    check(Letter, expect!["Ok: x"]).await;
    check(Structure, expect![[r#"Ok: {"title":"plan","lines":3,"tags":["a","b"],"author":null}"#]]).await;
    check(Variant, expect!["Ok: open"]).await;
    check(List, expect!["Ok: [1,2]"]).await;
    check(Notes, expect![[r#"Ok: [{"title":"plan","lines":3,"tags":["a","b"],"author":null}]"#]]).await;
    check(Absent, expect!["Ok: null"]).await;
    check(Words, expect![[r#"Ok: a "word""#]]).await;
    check(Pair, expect![[r#"Ok: ["a",1]"#]]).await;
    check(Shared, expect!["Ok: shared"]).await;
    check(Direct, expect!["Ok: [1]"]).await;
    check(Opaque, expect!["Ok: [1,2]"]).await;
    check(FallibleNumber, expect!["Ok: 4"]).await;
    check(Alias, expect!["Ok: 1"]).await;
    check(Nested, expect![[r#"Ok: {"Err":7}"#]]).await;
}

#[tokio::test]
async fn a_types_own_conversion_takes_precedence() {
    check(OwnOutput, expect!["Ok: page"]).await;
    check(JsonValue, expect![[r#"Ok: "kept as JSON""#]]).await;
    check(ContentList, expect!["Ok: content"]).await;
    check(PlainOutput, expect!["TimedOut: late"]).await;
    check(Unit, expect!["Ok: done"]).await;
    check(FallibleUnit, expect!["Ok: done"]).await;
}

#[tokio::test]
async fn a_value_without_json_is_a_mistake_of_the_program() {
    check(Map, expect![[r#"Fatal(Error("key must be a string", line: 0, column: 0))"#]]).await;
}

#[tokio::test]
async fn question_mark_accepts_any_error_and_returns_its_message() {
    check(IoError, expect!["entity not found"]).await;
    check(TwoErrors, expect!["the limit is wrong: invalid digit found in string"]).await;
    check(Boxed, expect!["invalid digit found in string"]).await;
    check(Local, expect!["invalid digit found in string"]).await;
    check(StoreFull, expect!["the store is full; remove a note first: invalid digit found in string"]).await;
    check(ModelError, expect!["busy; call again"]).await;
    check(FatalError, expect![[r#"Fatal("broken")"#]]).await;
    check(FatalInBox, expect![[r#"Fatal("broken")"#]]).await;
    check(FromIo, expect!["full"]).await;
    check(TextError, expect!["no"]).await;
}
