//! The result of a call from the output of its tool: redaction, truncation and flags.

use std::borrow::Cow;

use windlass_hitl::has_invisible;
use windlass_protocol::{Content, Effect, ErrorText, ResultFlag, ResultStatus, ToolResult};
use windlass_tool::{Context, Output, ToolError};

use super::result;
use crate::checked::CheckedCall;
use crate::toolbox::Toolbox;

/// The advice about an output whose complete text is in a file.
const PAGING: &str = "Page the whole with read_file.";

/// The output of a tool, or the panic that it ended with.
type Outcome = Result<Result<Output, ToolError>, Box<dyn std::any::Any + Send>>;

impl Toolbox {
    pub(super) fn finish(
        &self,
        checked: &CheckedCall,
        ctx: &Context,
        outcome: Outcome,
    ) -> Result<ToolResult, ToolError> {
        match outcome {
            Ok(Ok(Output { status, content, advice, is_external, .. })) => {
                let (content, advice) = self.clean(content, advice, ctx);
                let flags = flags(checked, &content, is_external);
                let result = ToolResult::new(checked.call.id.clone(), status, content);
                Ok(result.with_advice(advice).with_flags(flags))
            }
            Ok(Err(ToolError::Model(ErrorText { problem, advice, .. }))) => {
                let (content, advice) = self.clean(vec![Content::text(problem)], advice, ctx);
                let result = ToolResult::new(checked.call.id.clone(), ResultStatus::Error, content);
                Ok(result.with_advice(advice))
            }
            Ok(Err(fatal)) => Err(fatal),
            Err(_panic) => {
                let text = "the tool failed with an internal error (it panicked)";
                let advice = "Other tools still work.".to_owned();
                Ok(result(checked, ResultStatus::Error, text).with_advice(advice))
            }
        }
    }
}

impl Toolbox {
    /// Redacts and truncates the content and the advice of a result.
    fn clean(
        &self,
        content: Vec<Content>,
        advice: Option<String>,
        ctx: &Context,
    ) -> (Vec<Content>, Option<String>) {
        let (content, is_spilled) = self.limit.apply(redact_secrets(content, ctx), ctx);
        let advice = advice.map(|advice| ctx.redactor().redact(&advice).into_owned());
        let paging = is_spilled.then(|| PAGING.to_owned());
        (content, advice.into_iter().chain(paging).reduce(|advice, next| advice + " " + &next))
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
fn flags(checked: &CheckedCall, content: &[Content], is_external: bool) -> Vec<ResultFlag> {
    let is_hidden = |content: &Content| matches!(content, Content::Text { text } if has_invisible(text));
    let brings_text = |effect: &Effect| {
        matches!(effect, Effect::Connect { .. } | Effect::Mcp { .. } | Effect::Spawn { .. })
    };
    let hidden = content.iter().any(is_hidden).then_some(ResultFlag::InvisibleChars);
    let external =
        (is_external || checked.facts.effects.iter().any(brings_text)).then_some(ResultFlag::External);
    hidden.into_iter().chain(external).collect()
}
