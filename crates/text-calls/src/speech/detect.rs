//! Detection of the tool protocol of an existing conversation.

use windlass_protocol::{Message, Role, ToolProtocol, ToolSpec};
use windlass_stream::{CallChunk, Chunk};

use crate::{Dialect, Scanner, TextCallOptions};

/// Returns the protocol with which the calls of a conversation were made, to continue a conversation whose
/// protocol is not recorded (RULES P5). The newest answer with a call decides: a call with an id is native, a
/// call in the text is not. Returns `None` if no answer contains a call.
///
/// ```
/// use windlass_protocol::{Message, Part, ToolName, ToolProtocol, ToolSpec};
/// let tool = ToolSpec::function(ToolName::new("list_files")?, "", Default::default());
/// let said = Message::assistant(vec![Part::text("<list_files>\n</list_files>")]);
/// let history = [Message::user("what is here?"), said];
/// assert_eq!(windlass_text_calls::detect(&history, &[tool]), Some(ToolProtocol::Text));
/// # Ok::<(), windlass_protocol::NameError>(())
/// ```
pub fn detect<'a, M>(messages: M, tools: &[ToolSpec]) -> Option<ToolProtocol>
where
    M: IntoIterator<Item = &'a Message, IntoIter: DoubleEndedIterator>,
{
    let answers = messages.into_iter().rev().filter(|message| message.role == Role::Assistant);
    answers.into_iter().find_map(|answer| {
        if answer.calls().next().is_some() {
            return Some(ToolProtocol::Native);
        }
        let words = answer.text();
        if has_call(Dialect::Structured, &words, tools) && words.trim_start().starts_with('{') {
            return Some(ToolProtocol::Structured);
        }
        has_call(Dialect::Auto, &words, tools).then_some(ToolProtocol::Text)
    })
}

fn has_call(dialect: Dialect, words: &str, tools: &[ToolSpec]) -> bool {
    let options = TextCallOptions::default().with_dialect(dialect).with_tools(tools.iter().cloned());
    let (mut scanner, mut chunks) = (Scanner::new(options), Vec::new());
    scanner.push(words, &mut chunks);
    scanner.finish(&mut chunks);
    chunks.iter().any(|chunk| matches!(chunk, Chunk::Call(CallChunk::End { .. })))
}
