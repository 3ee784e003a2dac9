//! Text extraction from Word documents: paragraphs and tables, in order (ECMA-376 part 1,
//! `WordprocessingML`).

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use zip::ZipArchive;

/// Archive member with the text.
const DOCUMENT: &str = "word/document.xml";
/// Archive member with the styles.
const STYLES: &str = "word/styles.xml";
/// Elements that duplicate other text: text boxes for older readers, and the original places of moved
/// paragraphs.
const DOUBLE: [&str; 2] = ["Fallback", "moveFrom"];
/// Maximum size of a decompressed member, in bytes, against decompression bombs.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// Returns the text of a document, or `None` if the document is invalid or too long.
pub(crate) fn text(bytes: &[u8]) -> Option<String> {
    // The archive is untrusted, so a panic in its parser must not end the call.
    let read = || {
        let styles = unpack(bytes, STYLES).and_then(|xml| headings(&xml)).unwrap_or_default();
        plain(&unpack(bytes, DOCUMENT)?, styles)
    };
    catch_unwind(AssertUnwindSafe(read)).ok().flatten()
}

fn unpack(bytes: &[u8], name: &str) -> Option<String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let part = archive.by_name(name).ok()?;
    let mut xml = String::new();
    let read = part.take(MAX_BYTES.saturating_add(1)).read_to_string(&mut xml).ok()?;
    u64::try_from(read).is_ok_and(|read| read <= MAX_BYTES).then_some(xml)
}

/// State of the text extraction.
#[derive(Default)]
struct Place {
    text: String,
    /// True inside of a text element; other text is metadata.
    is_text: bool,
    cells: usize,
    /// Number of open elements since the start of a skipped element.
    skipped: usize,
    /// True inside of the definition of tab stops, which are not tabs in the text.
    is_stops: bool,
    /// True if the paragraph already has a heading marker.
    is_heading: bool,
    /// Heading level by style id.
    headings: BTreeMap<String, usize>,
}

fn plain(xml: &str, headings: BTreeMap<String, usize>) -> Option<String> {
    let mut reader = Reader::from_str(xml);
    let mut place = Place { headings, ..Place::default() };
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) if place.skipped > 0 || DOUBLE.contains(&tag.local_name().as_ref()) => {
                place.skipped = place.skipped.saturating_add(1);
            }
            Event::End(_) if place.skipped > 0 => place.skipped = place.skipped.saturating_sub(1),
            Event::Eof => return Some(place.text),
            _ if place.skipped > 0 => {}
            Event::Start(tag) => place.open(&tag),
            Event::Empty(tag) => {
                place.open(&tag);
                place.close(tag.local_name().as_ref());
            }
            Event::End(tag) => place.close(tag.local_name().as_ref()),
            Event::Text(text) if place.is_text => place.text.push_str(&text.xml10_content()),
            Event::CData(text) if place.is_text => place.text.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) if place.is_text => place.text.push(letter(&reference)),
            _ => {}
        }
    }
}

impl Place {
    fn open(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().as_ref() {
            "t" => self.is_text = true,
            "p" => self.is_heading = false,
            // The content of a text box is anchored inside of another line.
            "txbxContent" if !self.text.is_empty() && !self.text.ends_with('\n') => self.text.push('\n'),
            "tabs" => self.is_stops = true,
            "tab" if !self.is_stops && !self.text.ends_with('\n') => self.text.push('\t'),
            "noBreakHyphen" => self.text.push('-'),
            "softHyphen" => self.text.push('\u{ad}'),
            "sym" => self.text.push(symbol(tag)),
            "br" | "cr" => self.text.push('\n'),
            "numPr" => self.text.push_str("- "),
            "pStyle" => {
                let style = value(tag);
                let known = style.as_ref().and_then(|style| self.headings.get(style).copied());
                self.head(known.or_else(|| level(style?.strip_prefix("Heading")?)));
            }
            "outlineLvl" if !self.is_heading => self.head(outline_level(tag)),
            "tc" => self.cells = self.cells.saturating_add(1),
            _ => {}
        }
    }

    fn head(&mut self, level: Option<usize>) {
        if let Some(level) = level {
            self.is_heading = true;
            self.text.push_str(&"#".repeat(level));
            self.text.push(' ');
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "tabs" => self.is_stops = false,
            "t" => self.is_text = false,
            "p" => self.text.push(if self.cells > 0 { ' ' } else { '\n' }),
            "tc" => {
                self.cells = self.cells.saturating_sub(1);
                self.text.push_str("| ");
            }
            "tr" if self.cells == 0 => self.text.push('\n'),
            _ => {}
        }
    }
}

/// Returns the heading levels by style id. Word translates the ids (`berschrift1`) but not the names
/// (`heading 1`).
fn headings(xml: &str) -> Option<BTreeMap<String, usize>> {
    let mut reader = Reader::from_str(xml);
    let (mut found, mut id) = (BTreeMap::new(), None);
    loop {
        match reader.read_event().ok()? {
            Event::Eof => return Some(found),
            Event::Start(tag) | Event::Empty(tag) => {
                let level = match tag.local_name().as_ref() {
                    "style" => {
                        id = attribute(&tag, "styleId");
                        None
                    }
                    "name" => {
                        value(&tag).and_then(|name| level(name.to_lowercase().strip_prefix("heading ")?))
                    }
                    "outlineLvl" => outline_level(&tag),
                    _ => None,
                };
                if let (Some(id), Some(level)) = (&id, level) {
                    found.entry(id.clone()).or_insert(level);
                }
            }
            _ => {}
        }
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut all = tag.attributes().flatten();
    all.find(|attribute| attribute.key.local_name().as_ref() == name).map(|found| found.value.to_string())
}

fn value(tag: &BytesStart<'_>) -> Option<String> {
    attribute(tag, "val")
}

fn level(digits: &str) -> Option<usize> {
    digits.parse().ok().filter(|level| (1..=6).contains(level))
}

/// Outline levels start at 0, and 9 is body text.
fn outline_level(tag: &BytesStart<'_>) -> Option<usize> {
    let level = value(tag)?.parse::<usize>().ok()?;
    (level < 6).then_some(level.saturating_add(1))
}

/// Converts a character of a symbol font. Such fonts use code points of the private use area, of which only
/// the bullet is known.
fn symbol(tag: &BytesStart<'_>) -> char {
    let code = attribute(tag, "char").and_then(|code| u32::from_str_radix(&code, 16).ok());
    match code {
        Some(0xf0b7) => '\u{2022}',
        Some(0xe000..=0xf8ff) | None => char::REPLACEMENT_CHARACTER,
        Some(code) => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

/// Resolves a character reference: the five predefined entities of XML, or a code point.
fn letter(reference: &BytesRef<'_>) -> char {
    if let Ok(Some(letter)) = reference.resolve_char_ref() {
        return letter;
    }
    match reference.as_ref() {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests;
