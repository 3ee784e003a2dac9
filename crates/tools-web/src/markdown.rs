//! Conversion of HTML to text for a model, in one pass over its tokens, without a tree and without recursion.
//!
//! The tree of a hostile page can be as deep as the page is long, and a recursive walk would overflow the
//! stack, which `catch_unwind` cannot catch. Here each level of depth costs one entry of a bounded list, and
//! time and output are bounded or proportional to the page.

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

/// Minimum size of the main part, in bytes. If it is shorter, the rest of the page is included.
const MEANT: usize = 200;

/// Output format of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Style {
    /// Markdown with links, emphasis and headings.
    #[default]
    Markdown,
    /// Plain text in lines, lists and tables.
    Text,
}

/// Text of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderedText {
    /// Title of the page.
    pub title: Option<String>,
    /// Text of the page.
    pub text: String,
    /// True if the limit cut the text.
    pub is_cut: bool,
}

/// Selection of a page's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Everything except navigation, asides and footers.
    Content,
    /// Everything that is visible.
    All,
}

/// Converts a page to text of about `limit` bytes at most. Leaves out invisible content, such as scripts and
/// hidden elements, and also navigation and footers unless they contain most of the page's text.
///
/// ```
/// use windlass_tools_web::{Style, WebUrl, render};
/// let url = WebUrl::parse("https://docs.rs/a/")?;
/// let page = render("<h1>A</h1><p>See <a href=../b>the <b>other</b></a>.", &url, Style::Markdown, 1_000);
/// assert_eq!(page.text, "# A\n\nSee [the **other**](https://docs.rs/b).\n");
/// # Ok::<(), windlass_tools_web::UrlRefusal>(())
/// ```
pub fn render(html: &str, base: &WebUrl, style: Style, limit: usize) -> RenderedText {
    render_until(html, base, style, limit, &|| false)
}

/// Like [`render`], but ends early when `stop` returns true.
pub(crate) fn render_until(
    html: &str,
    base: &WebUrl,
    style: Style,
    limit: usize,
    stop: &dyn Fn() -> bool,
) -> RenderedText {
    let content = pass(html, Reader::new(base, style, limit, Part::Content), stop);
    if content.text.len() >= MEANT {
        return content;
    }
    let all = pass(html, Reader::new(base, style, limit, Part::All), stop);
    // A page is read completely if most of its text is in its navigation; otherwise a short page is just
    // short.
    if all.text.len() > content.text.len().saturating_mul(4) { all } else { content }
}

fn pass(html: &str, mut reader: Reader, stop: &dyn Fn() -> bool) -> RenderedText {
    let following = &mut reader;
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| {
        push(following, &event);
        // Emitting a token ends `next` below.
        (following.is_full() || stop()).then_some(())
    });
    emitter.naively_switch_states(true);
    // Reading from a string cannot fail, so the first token, of any kind, ends the pass.
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
