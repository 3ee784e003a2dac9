//! The result of a call from the output of its tool: redaction, truncation and flags.

use std::borrow::Cow;

use windlass_hitl::has_invisible;
use windlass_protocol::{Content, Effect, ResultFlag, ResultStatus, ToolResult};
use windlass_tool::{Context, Output, ToolError};

use super::result;
use crate::checked::Checked;
use crate::toolbox::Toolbox;

/// The output of a tool, or the panic that it ended with.
type Outcome = Result<Result<Output, ToolError>, Box<dyn std::any::Any + Send>>;

impl Toolbox {
    pub(super) fn finish(
        &self,
        checked: &Checked,
        ctx: &Context,
        outcome: Outcome,
    ) -> Result<ToolResult, ToolError> {
        match outcome {
            Ok(Ok(output)) => {
                let content = self.limit.apply(redact_secrets(output.content, ctx), ctx);
                let flags = flags(checked, &content, output.is_external);
                Ok(ToolResult::new(checked.call.id.clone(), output.status, content).with_flags(flags))
            }
            Ok(Err(ToolError::Model(text))) => {
                let content = self.limit.apply(redact_secrets(vec![Content::text(text)], ctx), ctx);
                Ok(ToolResult::new(checked.call.id.clone(), ResultStatus::Error, content))
            }
            Ok(Err(fatal)) => Err(fatal),
            Err(_panic) => {
                let text = "the tool failed with an internal error (it panicked); other tools still work";
                Ok(result(checked, ResultStatus::Error, text))
            }
        }
    }
}

/// Redacts secrets. Must run before truncation and before writing files, because a truncated secret is not
/// recognized.
fn redact_secrets(mut content: Vec<Content>, ctx: &Context) -> Vec<Content> {
    let redactor = ctx.redactor();
    let clean = |text: &mut String| {
        if let Cow::Owned(clean) = redactor.redact(text) {
            *text = clean;
        }
    };
    for piece in &mut content {
        match piece {
            Content::Text { text } => clean(text),
            Content::Resource { uri, text, .. } => {
                clean(uri);
                clean(text);
            }
            Content::Structured { value } => redactor.redact_value(value),
            // Image bytes are not searched.
            _ => {}
        }
    }
    content
}

/// Returns the flags of a result: invisible characters and third-party content.
fn flags(checked: &Checked, content: &[Content], is_external: bool) -> Vec<ResultFlag> {
    let is_hidden = |content: &Content| matches!(content, Content::Text { text } if has_invisible(text));
    let brings_text = |effect: &Effect| {
        matches!(effect, Effect::Connect { .. } | Effect::Mcp { .. } | Effect::Spawn { .. })
    };
    let hidden = content.iter().any(is_hidden).then_some(ResultFlag::InvisibleChars);
    let external =
        (is_external || checked.facts.effects.iter().any(brings_text)).then_some(ResultFlag::External);
    hidden.into_iter().chain(external).collect()
}
