//! `Media`: which kinds of bodies are text, and how their bytes become characters.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How far into a body the guesses look.
const SNIFFED: usize = 1_024;

/// What kind of text a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Media {
    /// A web page.
    Html,
    /// Anything else that people can read: plain text, Markdown, JSON, source.
    Text,
}

/// A body's type as the server said it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    /// `text/html`; empty if there was none, or none that can be read.
    pub(crate) essence: String,
    charset: Option<&'static Encoding>,
}

impl Declared {
    pub(crate) fn parse(header: &str) -> Self {
        let mut parts = header.split(';').map(str::trim);
        let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+/*".contains(&byte);
        let essence =
            if essence.len() <= 100 && essence.bytes().all(is_plain) { essence } else { String::new() };
        let charset = parts.filter_map(|part| part.split_once('=')).find_map(|(name, value)| {
            let is_charset = name.trim().eq_ignore_ascii_case("charset");
            is_charset.then(|| Encoding::for_label(value.trim().trim_matches('"').as_bytes())).flatten()
        });
        Self { essence, charset }
    }

    /// What kind of text it says it is; nothing if it says that it is none.
    pub(crate) fn media(&self, body: &[u8]) -> Option<Media> {
        let (kind, subtype) = self.essence.split_once('/').unwrap_or((&self.essence, ""));
        match (kind, subtype) {
            ("text", "html") | ("application", "xhtml+xml") => Some(Media::Html),
            ("text", _) => Some(Media::Text),
            ("application", subtype) if is_text(subtype) => Some(Media::Text),
            (_, subtype) if subtype.ends_with("+json") || subtype.ends_with("+xml") => Some(Media::Text),
            ("", _) => Some(if looks_like_html(body) { Media::Html } else { Media::Text }),
            _ => None,
        }
    }

    /// Whether the bytes are no text, whatever the server says of them.
    pub(crate) fn is_binary(&self, body: &[u8]) -> bool {
        let start = body.get(..SNIFFED).unwrap_or(body);
        let encoding = self.charset.or_else(|| Encoding::for_bom(body).map(|(encoding, _)| encoding));
        let has_wide_units = encoding.is_some_and(|encoding| !encoding.is_ascii_compatible());
        !has_wide_units && start.contains(&0)
    }

    /// The characters: by the mark at the start, else by what the server says, else by what the page says,
    /// else UTF-8 if it can be that, and else the encoding that browsers fall back to.
    pub(crate) fn decode(&self, body: &[u8], media: Media) -> String {
        let said = || match media {
            Media::Html => self.charset.or_else(|| charset_in_page(body)),
            Media::Text => self.charset,
        };
        let encoding = said().unwrap_or_else(|| {
            // A cut may go through a character; that is no sign of another encoding.
            let is_utf8 =
                std::str::from_utf8(body).map_or_else(|error| error.error_len().is_none(), |_| true);
            if is_utf8 { UTF_8 } else { WINDOWS_1252 }
        });
        // `decode` looks for the mark at the start first.
        encoding.decode(body).0.into_owned()
    }
}

fn is_text(subtype: &str) -> bool {
    matches!(
        subtype,
        "json"
            | "xml"
            | "javascript"
            | "ecmascript"
            | "x-javascript"
            | "typescript"
            | "yaml"
            | "x-yaml"
            | "toml"
            | "x-ndjson"
            | "jsonl"
            | "x-sh"
            | "sql"
            | "graphql"
            | "x-tex"
    ) || subtype.ends_with("+json")
        || subtype.ends_with("+xml")
        || subtype.ends_with("+yaml")
}

fn looks_like_html(body: &[u8]) -> bool {
    let start = String::from_utf8_lossy(body.get(..SNIFFED).unwrap_or(body)).to_ascii_lowercase();
    let start =
        start.trim_start_matches(|character: char| character == '\u{feff}' || character.is_whitespace());
    ["<!doctype html", "<html", "<head", "<body", "<!--"].iter().any(|sign| start.starts_with(sign))
}

/// `<meta charset=..>` and its older form, as far up as browsers look.
fn charset_in_page(body: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(body.get(..SNIFFED).unwrap_or(body)).to_ascii_lowercase();
    let (_, after) = start.split_once("charset")?;
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    let end = value.find(|character: char| !character.is_ascii_alphanumeric() && !"-_:.".contains(character));
    let encoding = Encoding::for_label(value.get(..end.unwrap_or(value.len()))?.as_bytes())?;
    // The page was read as ASCII so far, so it cannot be in UTF-16 (WHATWG HTML, prescan).
    Some(if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}

#[cfg(test)]
mod tests;
