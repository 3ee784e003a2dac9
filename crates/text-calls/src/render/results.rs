//! Rendering of tool results as text.

use windlass_protocol::{ToolName, ToolResult};

use crate::Dialect;
use crate::escape::quote;

/// Renders the results of calls for the next message to the model, in call order.
///
/// Inserts a backslash into each closing mark inside a result, so that the output of a tool cannot end its
/// own result and impersonate another author.
///
/// ```
/// use windlass_protocol::{CallId, ResultStatus, ToolName, ToolResult};
/// use windlass_text_calls::{Dialect, results};
/// let (name, call) = (ToolName::new("read_file")?, CallId::new("text_0")?);
/// let result = ToolResult::text(call, ResultStatus::Ok, "fn main() {}");
/// assert_eq!(
///     results(Dialect::Hermes, [(&name, &result)]),
///     "<tool_response>\nfn main() {}\n</tool_response>"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn results<'a>(
    dialect: Dialect,
    results: impl IntoIterator<Item = (&'a ToolName, &'a ToolResult)>,
) -> String {
    let pieces: Vec<String> =
        results.into_iter().map(|(name, result)| one(dialect, name.as_str(), &result.wire_text())).collect();
    let all = pieces.join("\n");
    match dialect {
        Dialect::Invoke => format!("<function_results>\n{all}\n</function_results>"),
        Dialect::DeepSeek => {
            format!("<｜tool▁outputs▁begin｜>{}<｜tool▁outputs▁end｜>", pieces.concat())
        }
        _ => all,
    }
}

fn one(dialect: Dialect, name: &str, words: &str) -> String {
    let (open, close) = match dialect {
        Dialect::Roo => return format!("[{name}] Result:\n{words}"),
        Dialect::Mistral => {
            return format!(
                "[TOOL_RESULTS]{{\"name\": {}, \"content\": {}}}[/TOOL_RESULTS]",
                quote(name),
                quote(words)
            );
        }
        Dialect::Invoke => {
            let inner = unbroken(words, "</stdout>");
            return format!(
                "<result>\n<tool_name>{name}</tool_name>\n<stdout>\n{}\n</stdout>\n</result>",
                unbroken(&inner, "</result>")
            );
        }
        Dialect::DeepSeek => ("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
        Dialect::Dsml => ("<function_results>\n", "\n</function_results>"),
        _ => ("<tool_response>\n", "\n</tool_response>"),
    };
    format!("{open}{}{close}", unbroken(words, close.trim()))
}

/// Returns the text with a backslash inside every occurrence of the mark.
fn unbroken(words: &str, mark: &str) -> String {
    let mut broken = mark.to_owned();
    broken.insert(1, '\\');
    words.replace(mark, &broken)
}
