//! Calls of a tool.

use serde_json::Value;
use windlass_protocol::{Arguments, CallId, Content, Payload, ResultStatus};
use windlass_tool::{Context, Tool, ToolError};

pub(crate) fn payload(arguments: &Value) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() }
}

/// Returns the text for the model, of a result or of an error.
pub(crate) async fn call(tool: &dyn Tool, arguments: &Value) -> (ResultStatus, String) {
    let ctx = Context::new(CallId::new("call_1").unwrap());
    match tool.call(&ctx, &payload(arguments)).await {
        Ok(output) => match output.content.first() {
            Some(Content::Text { text }) => (output.status, text.clone()),
            other => unreachable!("{other:?}"),
        },
        Err(ToolError::Model(text)) => (ResultStatus::Error, text.wire_text()),
        Err(other) => unreachable!("{other}"),
    }
}
