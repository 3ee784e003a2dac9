//! From a web page to text that a model reads: one pass over its tokens, without a tree and without recursion.
//!
//! A tree of a hostile page can be as deep as the page is long, and what walks it overflows its stack, which no
//! `catch_unwind` holds. Here depth costs an entry of a bounded list, and time and text are proportional to the
//! page or bounded.

mod attributes;
mod blocks;
mod code;
mod list;
mod marks;
mod reader;
mod table;
mod tag;
mod writer;

use html5gum::Span;
use html5gum::Tokenizer;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};

use crate::WebUrl;
use reader::Reader;

/// Below this the main part of a page is not taken for all of it.
const MEANT: usize = 200;

/// How a page is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Style {
    /// With links, emphasis and headings.
    #[default]
    Markdown,
    /// Words only, in lines, lists and tables.
    Text,
}

/// A page as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rendered {
    /// What the page calls itself.
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// Whether the limit cut it.
    pub is_cut: bool,
}

/// What of a page is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All but navigation, asides and footers.
    Content,
    /// All that can be seen.
    All,
}

/// Writes a page as text, at most `limit` bytes of it and a little more. What cannot be seen, as scripts and
/// hidden elements, is left out; navigation and the like too, unless there is hardly anything else.
///
/// ```
/// use windlass_tools_web::{Style, WebUrl, render};
/// let url = WebUrl::parse("https://docs.rs/a/")?;
/// let page = render("<h1>A</h1><p>See <a href=../b>the <b>other</b></a>.", &url, Style::Markdown, 1_000);
/// assert_eq!(page.text, "# A\n\nSee [the **other**](https://docs.rs/b).\n");
/// # Ok::<(), windlass_tools_web::UrlRefusal>(())
/// ```
pub fn render(html: &str, base: &WebUrl, style: Style, limit: usize) -> Rendered {
    render_until(html, base, style, limit, &|| false)
}

/// The same, ended early when `stop` says so.
pub(crate) fn render_until(
    html: &str,
    base: &WebUrl,
    style: Style,
    limit: usize,
    stop: &dyn Fn() -> bool,
) -> Rendered {
    let content = pass(html, Reader::new(base, style, limit, Part::Content), stop);
    if content.text.len() >= MEANT {
        return content;
    }
    let all = pass(html, Reader::new(base, style, limit, Part::All), stop);
    // A short page is short; a page that has all of its text in its navigation is read whole.
    if all.text.len() > content.text.len().saturating_mul(4) { all } else { content }
}

fn pass(html: &str, mut reader: Reader, stop: &dyn Fn() -> bool) -> Rendered {
    let following = &mut reader;
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| {
        push(following, &event);
        // A token hands control back to the loop below.
        (following.is_full() || stop()).then_some(())
    });
    emitter.naively_switch_states(true);
    // Reading text cannot fail, so the first token of any kind is the sign to end.
    let _ = Tokenizer::new_with_emitter(html, emitter).next();
    reader.finish(MEANT)
}

fn push(reader: &mut Reader, event: &CallbackEvent<'_>) {
    match event {
        CallbackEvent::OpenStartTag { name } => reader.open(name),
        CallbackEvent::AttributeName { name } => reader.attribute(name),
        CallbackEvent::AttributeValue { value } => reader.value(value),
        CallbackEvent::CloseStartTag { .. } => reader.start(),
        CallbackEvent::EndTag { name } => reader.end(name),
        CallbackEvent::String { value } => reader.text(&String::from_utf8_lossy(value)),
        CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
    }
}

#[cfg(test)]
mod tests;
