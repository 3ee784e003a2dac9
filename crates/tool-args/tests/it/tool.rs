//! Functions as tools.

use std::future::ready;
use std::path::PathBuf;

use expect_test::{Expect, expect};
use windlass_protocol::{Concurrency, Effect, Hints, Payload, ResultStatus, Risk};
use windlass_tool_args::{Context, Output, Progress, Tool, ToolError, tool};

use crate::call::{call, ctx, payload, spec};

/// Adds two
/// integers.
///
/// Nothing else:
/// - not reals
/// - not words
#[tool(read_only, internal)]
fn add_integers(
    /// The left
    /// one.
    left: i64,
    /// The right one; 1 if it is left out.
    right: Option<i64>,
) -> Result<String, ToolError> {
    let sum = left.checked_add(right.unwrap_or(1));
    sum.map(|sum| sum.to_string()).ok_or_else(|| "the sum is too large".into())
}

/// Tells what it does.
#[tool(idempotent, parallel, open_world, polls, risk = "high", name = "tell-all", effects = told)]
pub(crate) async fn tell(
    #[serde(rename = "what")] text: String,
    ctx: &Context,
    #[doc = "Where to."]
    #[serde(default)]
    places: Vec<PathBuf>,
) -> Output {
    ctx.tell(Progress::Note(format!("{text} to {}", places.len())));
    ready(Output::text("told").with_status(ResultStatus::TimedOut)).await
}

fn told(payload: &Payload) -> Vec<Effect> {
    vec![Effect::Write { path: payload.text(), bytes: None }]
}

/// Does nothing.
#[tool]
async fn nothing() {
    ready(()).await;
}

/// Fails in words.
#[tool(risk = "low")]
async fn fail(_reason: String) -> Result<serde_json::Value, &'static str> {
    ready(Err("no")).await
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[schemars(inline)]
struct Text(String);

/// Has names that generated code might have, too.
#[tool(internal)]
fn odd(odd: i64, payload: String, ctx: Text, context: &Context, r#type: Option<String>) -> String {
    format!("{odd} {payload} {} {} {type:?}", ctx.0, context.call(), r#type = r#type)
}

#[track_caller]
fn check_spec(tool: &dyn Tool, expected: &Expect) {
    expected.assert_eq(&spec(tool));
}

/// Names that generated code might have for its variables, too.
mod names {
    use windlass_protocol::Effect;
    use windlass_tool_args::{ProgressSink, tool};

    /// Is named like a parameter.
    #[tool(internal)]
    pub(super) fn ctx(error: u8) -> u8 {
        error
    }

    /// Is named like a parameter.
    #[tool(effects = value, arguments = ShowArguments, on_partial = arguments)]
    pub(super) async fn payload(
        show: u8,
        value: u8,
        ctx: &windlass_tool_args::Context,
    ) -> Result<u8, String> {
        let _ = ctx;
        Ok(show + value)
    }

    fn value(payload: &windlass_protocol::Payload) -> Vec<Effect> {
        vec![Effect::Read { path: payload.text() }]
    }

    fn arguments(show: &mut ProgressSink<'_>, arguments: &PartialShowArguments) {
        let _ = (show, arguments);
    }
}

#[tokio::test]
async fn functions_may_have_the_names_of_generated_variables() {
    assert_eq!(call(&names::Ctx, r#"{"error": 1}"#).await, "Ok: 1");
    assert_eq!(call(&names::Payload, r#"{"show": 1, "value": 2}"#).await, "Ok: 3");
}

#[test]
fn a_spec_contains_the_doc_comments() {
    check_spec(
        &AddIntegers,
        &expect![[r#"
        add_integers
        Adds two integers.

        Nothing else:
        - not reals
        - not words
        {"type":"object","properties":{"left":{"type":"integer","description":"The left one."},"right":{"type":["integer","null"],"description":"The right one; 1 if it is left out."}},"required":["left"],"additionalProperties":false}"#]],
    );
    check_spec(
        &Tell,
        &expect![[r#"
        tell-all
        Tells what it does.
        {"type":"object","properties":{"what":{"type":"string"},"places":{"type":"array","description":"Where to.","default":[],"items":{"type":"string"}}},"required":["what"],"additionalProperties":false}"#]],
    );
    check_spec(
        &Nothing,
        &expect![[r#"
        nothing
        Does nothing.
        {"type":"object","properties":{},"additionalProperties":false}"#]],
    );
}

#[test]
fn attribute_arguments_set_the_hints() {
    assert_eq!(AddIntegers.hints(), Hints::read_only());
    assert_eq!(Nothing.hints(), Hints::default());
    let hints = Hints {
        idempotent: true,
        open_world: true,
        polls: true,
        concurrency: Concurrency::Parallel,
        risk: Risk::High,
        ..Hints::default()
    };
    assert_eq!(Tell.hints(), hints);
    assert_eq!(Fail.hints().risk, Risk::Low);
}

// A tool that does not declare its effects has unknown effects, which policy treats as the worst case.
#[test]
fn effects_are_unknown_unless_declared() {
    assert_eq!(Nothing.effects(&payload("{}")), [Effect::Unknown]);
    assert_eq!(AddIntegers.effects(&payload("{}")), [Effect::Internal]);
    assert_eq!(Tell.effects(&payload("{}")), [Effect::Write { path: "{}".into(), bytes: None }]);
}

#[tokio::test]
async fn a_function_is_a_tool_and_stays_a_function() {
    assert_eq!(add_integers(1, Some(2)).unwrap(), "3");
    assert_eq!(call(&AddIntegers, r#"{"left": 1, "right": 5}"#).await, "Ok: 6");
    assert_eq!(call(&AddIntegers, r#"{"left": 1, "right": null}"#).await, "Ok: 2");
    assert_eq!(call(&AddIntegers, r#"{"left": 9223372036854775807}"#).await, "the sum is too large");
    assert_eq!(call(&Tell, r#"{"what": "x", "places": ["a"]}"#).await, "TimedOut: told");
    let odd = r#"{"odd": 1, "payload": "p", "ctx": "c", "type": "t"}"#;
    assert_eq!(call(&Odd, odd).await, "Ok: 1 p c call_1 Some(\"t\")");
    assert_eq!(call(&Nothing, "{}").await, "Ok: done");
    assert_eq!(call(&Fail, r#"{"_reason": "x"}"#).await, "no");
}

// J10: the error names the path of the argument.
#[tokio::test]
async fn invalid_arguments_are_reported_with_their_place() {
    let check = async |tool: &dyn Tool, arguments: &str, expected: Expect| {
        expected.assert_eq(&call(tool, arguments).await);
    };
    check(
        &AddIntegers,
        r#"{"left": "1"}"#,
        expect![[r#"the arguments do not fit this tool: /left: invalid type: string "1", expected i64"#]],
    )
    .await;
    check(
        &AddIntegers,
        r#"{"right": 1}"#,
        expect!["the arguments do not fit this tool: missing field `left`"],
    )
    .await;
    check(
        &AddIntegers,
        r#"{"left": 1, "more": 1}"#,
        expect![
            "the arguments do not fit this tool: /more: unknown field `more`, expected `left` or `right`"
        ],
    )
    .await;
    check(
        &Tell,
        r#"{"what": "", "places": ["a", 1]}"#,
        expect![
            "the arguments do not fit this tool: /places/1: invalid type: integer `1`, expected path string"
        ],
    )
    .await;
    let custom = Payload::Custom { input: "1".into() };
    let error = AddIntegers.call(&ctx(), &custom).await.unwrap_err();
    assert_eq!(error.to_string(), "this tool takes JSON arguments");
}
