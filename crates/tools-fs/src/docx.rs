//! The text of a Word document: its paragraphs and tables, in order (ECMA-376 part 1, `WordprocessingML`).

use std::io::{Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use zip::ZipArchive;

/// The part of the package that holds the text.
const DOCUMENT: &str = "word/document.xml";
/// How long it may be once it is unpacked: a small file can claim to be very long.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// The text of a document; nothing if it is none, or too long.
pub(crate) fn text(bytes: &[u8]) -> Option<String> {
    // The archive is a stranger's: whatever its reader makes of it, reading a file never ends more than that.
    catch_unwind(AssertUnwindSafe(|| plain(&unpacked(bytes)?))).ok().flatten()
}

fn unpacked(bytes: &[u8]) -> Option<String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let part = archive.by_name(DOCUMENT).ok()?;
    let mut xml = String::new();
    let read = part.take(MAX_BYTES.saturating_add(1)).read_to_string(&mut xml).ok()?;
    u64::try_from(read).is_ok_and(|read| read <= MAX_BYTES).then_some(xml)
}

/// What is told of the place in the document.
#[derive(Default)]
struct Place {
    text: String,
    /// Inside a run's text, and not in what Word keeps beside it.
    is_text: bool,
    cells: usize,
}

fn plain(xml: &str) -> Option<String> {
    let mut reader = Reader::from_str(xml);
    let mut place = Place::default();
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) => place.open(&tag),
            Event::Empty(tag) => {
                place.open(&tag);
                place.close(tag.local_name().as_ref());
            }
            Event::End(tag) => place.close(tag.local_name().as_ref()),
            Event::Text(text) if place.is_text => place.text.push_str(&text.xml10_content()),
            Event::CData(text) if place.is_text => place.text.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) if place.is_text => place.text.push(letter(&reference)),
            Event::Eof => return Some(place.text),
            _ => {}
        }
    }
}

impl Place {
    fn open(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().as_ref() {
            "t" => self.is_text = true,
            "tab" if !self.text.ends_with('\n') => self.text.push('\t'),
            "br" | "cr" => self.text.push('\n'),
            "numPr" => self.text.push_str("- "),
            "pStyle" => {
                if let Some(level) = heading(tag) {
                    self.text.push_str(&"#".repeat(level));
                    self.text.push(' ');
                }
            }
            "tc" => self.cells = self.cells.saturating_add(1),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
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

/// The level of a heading's style, as Word names them in every language.
fn heading(style: &BytesStart<'_>) -> Option<usize> {
    let value =
        style.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == "val")?;
    let level = value.value.strip_prefix("Heading")?.parse::<usize>().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// A document may name the five letters of XML and letters by number, and no more.
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
