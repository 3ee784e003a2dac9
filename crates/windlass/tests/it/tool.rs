//! The macros through the facade's path.

use std::sync::Arc;

use windlass::protocol::{Arguments, CallId, Effect, ToolCall, ToolName};
use windlass::tool::{Context, PartialReader, ToolArgs, tool};
use windlass::toolbox::{Preset, ToolConfig, Toolbox};

#[derive(Debug, PartialEq, ToolArgs)]
#[tool_args(crate = "windlass::tool")]
struct Search {
    pattern: String,
    #[serde(default)]
    limit: u8,
}

/// Adds two integers.
#[tool(read_only, internal, crate = "windlass::tool")]
fn add(left: i64, right: i64) -> String {
    left.saturating_add(right).to_string()
}

#[test]
fn a_struct_is_arguments_through_the_facade() {
    let mut reader = PartialReader::<Search>::default();
    assert_eq!(reader.push(r#"{"pattern": "a"#).pattern.as_str(), "a");
    let arguments = Arguments::parse(r#"{"pattern": "ab"}"#).expect("it is JSON");
    assert_eq!(Search::parse(&arguments), Ok(Search { pattern: "ab".into(), limit: 0 }));
}

#[tokio::test]
async fn a_function_is_a_tool_through_the_facade() {
    let toolbox = Toolbox::builder().tool(Arc::new(Add)).config(ToolConfig::new(Preset::Full));
    let toolbox = toolbox.build().expect("one tool has one name");
    let id = CallId::new("call_1").expect("it is an id");
    let name = ToolName::new("add").expect("it is a name");
    let arguments = Arguments::parse(r#"{"left": 19, "right": 23}"#).expect("it is JSON");
    let checked = toolbox.check(&ToolCall::function(id.clone(), name, arguments)).expect("it fits");
    assert_eq!(checked.facts.effects, [Effect::Internal]);
    let result = toolbox.run(&checked, &Context::new(id)).await.expect("it can go on");
    assert_eq!(result.wire_text(), "42");
}

mod by_the_prelude {
    use windlass::prelude::*;

    /// Doubles an integer.
    #[tool(read_only, internal)]
    fn double(number: i64, ctx: &Context) -> Result<String, ToolError> {
        let _ = ctx;
        number.checked_mul(2).map(|twice| twice.to_string()).ok_or_else(|| "take a smaller number".into())
    }

    #[derive(Debug, ToolArgs)]
    struct Place {
        path: String,
    }

    #[test]
    fn the_macros_find_the_facade_by_themselves() {
        assert_eq!(Double.spec().name().as_str(), "double");
        assert!(Place::schema().as_str().contains("\"path\""));
        let arguments = windlass::protocol::Arguments::parse(r#"{"path":"src"}"#).expect("it is an object");
        assert_eq!(Place::parse(&arguments).expect("it fits").path, "src");
    }
}
