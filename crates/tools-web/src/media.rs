//! `Media`: media types that are text, and the decoding of bodies to characters.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Number of bytes that are inspected for guesses.
const SNIFFED: usize = 1_024;

/// Kind of a text body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Media {
    /// An HTML page.
    Html,
    /// Any other text: plain text, Markdown, JSON, source code.
    Text,
}

/// Media type of a body as the server declared it.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeclaredMedia {
    /// For example `text/html`; empty if missing or invalid.
    pub(crate) essence: String,
    charset: Option<&'static Encoding>,
}

impl DeclaredMedia {
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

    /// Returns the kind of text, or `None` if the declared type is not text.
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

    /// Returns true if the bytes are binary, whatever type the server declared.
    pub(crate) fn is_binary(&self, body: &[u8]) -> bool {
        let start = body.get(..SNIFFED).unwrap_or(body);
        let encoding = self.charset.or_else(|| Encoding::for_bom(body).map(|(encoding, _)| encoding));
        let has_wide_units = encoding.is_some_and(|encoding| !encoding.is_ascii_compatible());
        !has_wide_units && start.contains(&0)
    }

    /// Decodes a body. The encoding is that of the BOM, else of the server, else of the page, else UTF-8 if
    /// the body is valid, else Windows-1252 as in browsers.
    pub(crate) fn decode(&self, body: &[u8], media: Media) -> String {
        let said = || match media {
            Media::Html => self.charset.or_else(|| charset_in_page(body)),
            Media::Text => self.charset,
        };
        let encoding = said().unwrap_or_else(|| {
            // A body that was cut inside of a character is still UTF-8.
            let is_utf8 =
                std::str::from_utf8(body).map_or_else(|error| error.error_len().is_none(), |_| true);
            if is_utf8 { UTF_8 } else { WINDOWS_1252 }
        });
        // `decode` checks for a BOM first.
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

/// Returns the encoding in `<meta charset=..>` or its older form, searched in as many bytes as browsers
/// search (WHATWG HTML, "prescan a byte stream"). Skips other tags, their attributes, and text.
fn charset_in_page(body: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(body.get(..SNIFFED).unwrap_or(body)).to_ascii_lowercase();
    let mut rest = start.as_str();
    loop {
        let (_, after) = rest.split_once('<')?;
        if let Some(comment) = after.strip_prefix("!--") {
            (_, rest) = comment.split_once("-->")?;
            continue;
        }
        let end = after.find(|letter: char| !letter.is_ascii_alphanumeric() && !"/!?".contains(letter));
        let (name, behind) = after.split_at_checked(end?)?;
        let (attributes, behind) = attributes(behind);
        rest = behind;
        if name == "meta"
            && let Some(encoding) = charset_of(&attributes)
        {
            // The prescan read the page as ASCII, so it cannot be UTF-16.
            return Some(if encoding.is_ascii_compatible() { encoding } else { UTF_8 });
        }
    }
}

/// Returns the attributes after a tag's name, and the text after the tag.
fn attributes(mut rest: &str) -> (Vec<(&str, &str)>, &str) {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches(|letter: char| letter.is_ascii_whitespace() || letter == '/');
        if rest.is_empty() || rest.starts_with('>') {
            return (found, rest);
        }
        // A name may start with `=`.
        let ends = |(at, letter): &(usize, char)| {
            letter.is_ascii_whitespace() || "/>".contains(*letter) || (*letter == '=' && *at > 0)
        };
        let end = rest.char_indices().find(ends).map_or(rest.len(), |(at, _)| at);
        let (name, after) = rest.split_at(end);
        let Some(after) = after.trim_start().strip_prefix('=') else {
            found.push((name, ""));
            rest = after;
            continue;
        };
        let after = after.trim_start();
        let quote = after.chars().next().filter(|letter| matches!(letter, '"' | '\''));
        let (value, behind) = if let Some(quote) = quote {
            after.get(1..).unwrap_or_default().split_once(quote).unwrap_or_default()
        } else {
            let end = after.find(|letter: char| letter.is_ascii_whitespace() || letter == '>');
            after.split_at(end.unwrap_or(after.len()))
        };
        found.push((name, value));
        rest = behind;
    }
}

fn charset_of(attributes: &[(&str, &str)]) -> Option<&'static Encoding> {
    let value = |wanted: &str| attributes.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
    let label = match value("charset") {
        Some(label) => label,
        // Some pages omit `http-equiv`; accept that unless the element has a `name` or `property`.
        None if value("name").or(value("property")).is_some() => return None,
        None if value("http-equiv").is_some_and(|about| about != "content-type") => return None,
        None => charset_in_content(value("content")?)?,
    };
    Encoding::for_label(label.trim().as_bytes())
}

/// Returns the charset in `text/html; charset=utf-8`.
fn charset_in_content(content: &str) -> Option<&str> {
    let mut rest = content;
    loop {
        (_, rest) = rest.split_once("charset")?;
        if let Some(value) = rest.trim_start().strip_prefix('=') {
            let value = value.trim_start().trim_start_matches(['"', '\'']);
            let end = value.find(|letter: char| letter.is_ascii_whitespace() || ";\"'".contains(letter));
            return value.get(..end.unwrap_or(value.len()));
        }
    }
}

#[cfg(test)]
mod tests;
