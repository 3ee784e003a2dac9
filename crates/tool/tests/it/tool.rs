//! Functions as tools.

use windlass_protocol::{Arguments, CallId, Payload};
use windlass_tool::{Context, Tool, ToolError, tool};

/// Adds two
/// integers.
#[tool(read_only, internal)]
async fn add_integers(
    /// The left one.
    left: i64,
    /// The right one.
    right: Option<i64>,
) -> Result<String, ToolError> {
    let right = right.unwrap_or_default();
    left.checked_add(right).map(|sum| sum.to_string()).ok_or_else(|| "too large".into())
}

#[tokio::test]
async fn a_function_is_a_tool_and_stays_a_function() {
    assert_eq!(add_integers(1, Some(2)).await.unwrap(), "3");
    let payload = Payload::Function { arguments: Arguments::parse(r#"{"left": 1, "right": 5}"#).unwrap() };
    let ctx = Context::new(CallId::new("call_1").unwrap());
    let output = AddIntegers.call(&ctx, &payload).await.unwrap();
    println!("{output:?} {:?}", AddIntegers.spec());
}
