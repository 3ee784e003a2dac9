//! Calls of tools in tests.

use windlass_protocol::{Arguments, CallId, Content, Payload, ToolSpec};
use windlass_tool_args::{Context, Output, Tool, ToolError};

pub(crate) fn ctx() -> Context {
    Context::new(CallId::new("call_1").unwrap())
}

pub(crate) fn payload(arguments: &str) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments).unwrap() }
}

/// Returns the status and the text of the output, or the text of the error for the model.
pub(crate) async fn call(tool: &dyn Tool, arguments: &str) -> String {
    match tool.call(&ctx(), &payload(arguments)).await {
        Ok(Output { status, content, .. }) => match content.as_slice() {
            [Content::Text { text }] => format!("{status:?}: {text}"),
            other => format!("{other:?}"),
        },
        Err(ToolError::Model(text)) => text.wire_text(),
        Err(error) => format!("{error:?}"),
    }
}

/// Returns the name, the description and the schema.
#[track_caller]
pub(crate) fn spec(tool: &dyn Tool) -> String {
    let ToolSpec::Function { name, description, parameters, .. } = tool.spec() else {
        panic!("expected a function")
    };
    format!("{name}\n{description}\n{}", parameters.as_str())
}

/// Returns the schema.
#[track_caller]
pub(crate) fn schema(tool: &dyn Tool) -> String {
    let ToolSpec::Function { parameters, .. } = tool.spec() else { panic!("expected a function") };
    parameters.as_str().to_owned()
}
