//! Reader for one value up to its closing tag. Streams strings; buffers other values until they are complete.

use memchr::memchr;
use serde_json::Value;
use windlass_schema::{AcceptedKinds, Need, TextConversion};
use windlass_stream::CallKey;

use super::Input;
use super::tags::is_content_like;
use super::tree;
use crate::LimitError;
use crate::coerce::read;
use crate::emit::Sink;
use crate::form::{CloseRule, Step, Tags, Trim};

const CDATA: &str = "<![CDATA[";
/// Maximum white space between a closing tag and the tag that confirms it, in bytes.
const SPACE: usize = 256;

/// Incremental reader of one value.
#[derive(Debug)]
pub(crate) struct ValueReader {
    tags: &'static Tags,
    name: String,
    key: CallKey,
    wanted: AcceptedKinds,
    rule: CloseRule,
    close: String,
    first: First,
    /// The buffered value, or `None` for a string that streams.
    held: Option<String>,
    /// True if the value extends to the last closing tag of its parameter.
    content_like: bool,
    /// Offset up to which the text after a closing tag has been searched for a later one.
    searched: usize,
    /// True if the value exceeded the buffer limit.
    pub(crate) overflowed: bool,
}

/// The first character of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    NotYet,
    /// A newline, which was removed.
    Newline,
    Other,
}

pub(crate) enum Read {
    /// This many bytes belong to the value; the rest is still ambiguous.
    More(usize),
    /// The value and its closing tag took this many bytes.
    Over(usize),
}

/// The classification of a closing tag inside a value.
enum ValueEnd {
    End,
    Wait,
    /// Text that only looks like a closing tag.
    Text,
}

impl ValueReader {
    pub(crate) fn new(tags: &'static Tags, name: &str, wanted: AcceptedKinds, key: CallKey) -> Self {
        Self {
            tags,
            name: name.to_owned(),
            key,
            wanted,
            rule: tags.rule,
            close: tags.close.replace("{}", name),
            first: First::NotYet,
            held: (!wanted.is_text()).then(String::new),
            content_like: wanted.is_text() && is_content_like(tags.rule, name),
            searched: 0,
            overflowed: false,
        }
    }

    pub(crate) fn streams(&self) -> bool {
        self.held.is_none()
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the buffered text and its conversion.
    pub(crate) fn into_reading(
        self,
        need: Need,
        schema: Option<(&Value, &Value)>,
    ) -> (String, TextConversion) {
        let text = self.held.unwrap_or_default();
        if let (Some(mark), Some((schema, root))) = (self.tags.nested, schema)
            && let Some(json) = tree::to_json(mark, &text, schema, root)
        {
            let kind = if json.starts_with('[') { "array" } else { "object" };
            return (text, TextConversion::Json { json, kind });
        }
        let reading = read(&text, self.wanted, need);
        (text, reading)
    }

    pub(crate) fn read(&mut self, input: Input<'_, '_>, call_close: &[String], sink: &mut Sink<'_>) -> Read {
        let text = input.text;
        let Some(at) = self.begin(input) else { return Read::More(0) };
        let mut from = at;
        let first = self.close.bytes().next().unwrap_or(b'<');
        loop {
            let found = text.as_bytes().get(from..).and_then(|rest| memchr(first, rest));
            let Some(found) = found.map(|found| found.saturating_add(from)) else {
                let end = if input.ended { text.len() } else { self.hold_from(text, text.len()) };
                self.push_text(text.get(at..end).unwrap_or_default(), sink);
                return Read::More(end.max(at));
            };
            let rest = text.get(found..).unwrap_or_default();
            let closing = if rest.starts_with(self.close.as_str()) {
                self.classify_close(Input { text: rest, ..input }, call_close, sink)
            } else if self.close.starts_with(rest) && !input.ended {
                ValueEnd::Wait
            } else {
                ValueEnd::Text
            };
            match closing {
                ValueEnd::End => {
                    let end = self.trim_newline(text, found).max(at);
                    self.push_text(text.get(at..end).unwrap_or_default(), sink);
                    return Read::Over(found.saturating_add(self.close.len()));
                }
                ValueEnd::Wait => {
                    let end = self.hold_from(text, found).max(at);
                    self.push_text(text.get(at..end).unwrap_or_default(), sink);
                    return Read::More(end);
                }
                ValueEnd::Text => {
                    self.searched = 0;
                    from = found.saturating_add(1);
                }
            }
        }
    }

    /// Examines the start of the value. Returns the bytes to skip, or `None` if more text is needed.
    fn begin(&mut self, input: Input<'_, '_>) -> Option<usize> {
        if self.first != First::NotYet {
            return Some(0);
        }
        let text = input.text;
        if text.is_empty() {
            return None;
        }
        if self.tags.cdata && !input.ended && CDATA.starts_with(text) && text.len() < CDATA.len() {
            return None;
        }
        if self.tags.cdata && text.starts_with(CDATA) {
            self.first = First::Other;
            self.rule = CloseRule::First;
            self.close.insert_str(0, "]]>");
            return Some(CDATA.len());
        }
        let newline = match text {
            _ if self.tags.trim == Trim::Never => 0,
            "\r" if !input.ended => return None,
            _ if text.starts_with("\r\n") => 2,
            _ => usize::from(text.starts_with('\n')),
        };
        self.first = if newline > 0 { First::Newline } else { First::Other };
        Some(newline)
    }

    /// Returns whether a newline before the closing tag belongs to the tag.
    fn trims_end(&self) -> bool {
        match self.tags.trim {
            Trim::Each => true,
            Trim::Paired => self.first == First::Newline,
            Trim::Never => false,
        }
    }

    /// Returns the end of the value if its closing tag starts at `end`.
    fn trim_newline(&self, text: &str, end: usize) -> usize {
        let before = text.get(..end).unwrap_or_default();
        match before.strip_suffix('\n') {
            Some(plain) if self.trims_end() => plain.strip_suffix('\r').unwrap_or(plain).len(),
            _ => end,
        }
    }

    /// Returns the offset from which text must be held because a closing tag may start at `end`.
    fn hold_from(&self, text: &str, end: usize) -> usize {
        let before = text.get(..end).unwrap_or_default();
        match before.strip_suffix('\r') {
            Some(plain) if self.trims_end() => plain.len(),
            _ => self.trim_newline(text, end),
        }
    }

    fn classify_close(
        &mut self,
        input: Input<'_, '_>,
        call_close: &[String],
        sink: &mut Sink<'_>,
    ) -> ValueEnd {
        let rest = input.text.get(self.close.len()..).unwrap_or_default();
        match self.rule {
            CloseRule::First => ValueEnd::End,
            CloseRule::Own if !self.content_like => ValueEnd::End,
            CloseRule::Own => self.classify_content(rest, input.ended, call_close, sink),
            CloseRule::Followed => self.classify_followed(rest, input.ended, call_close),
        }
    }

    fn classify_followed(&self, rest: &str, ended: bool, call_close: &[String]) -> ValueEnd {
        let next = rest.trim_ascii_start();
        if rest.len().saturating_sub(next.len()) > SPACE {
            return ValueEnd::Text;
        }
        if next.is_empty() {
            return if ended { ValueEnd::Text } else { ValueEnd::Wait };
        }
        let mut waits = false;
        let parameter = match self.tags.parameter.first() {
            Some(Step::Lit(literal)) => literal,
            _ => "",
        };
        for mark in call_close.iter().map(String::as_str).chain([parameter]) {
            if next.starts_with(mark) {
                return ValueEnd::End;
            }
            waits |= mark.starts_with(next);
        }
        if waits && !ended { ValueEnd::Wait } else { ValueEnd::Text }
    }

    /// Decides whether a closing tag ends a content-like value: it does if the call ends before another
    /// closing tag appears (RULES X2). The text after the tag is held until then.
    fn classify_content(
        &mut self,
        rest: &str,
        ended: bool,
        call_close: &[String],
        sink: &mut Sink<'_>,
    ) -> ValueEnd {
        let longest = call_close.iter().map(String::len).max().unwrap_or(0).max(self.close.len());
        let limit = sink.ledger.limits.held_bytes;
        // Searches at most `limit` bytes, so that the limit applies at the same byte however the text is
        // split.
        let window = rest.get(..rest.floor_char_boundary(limit)).unwrap_or(rest);
        let mut from = self.searched;
        while let Some(found) = window.as_bytes().get(from..).and_then(|rest| memchr(b'<', rest)) {
            let at = from.saturating_add(found);
            let here = window.get(at..).unwrap_or_default();
            if here.starts_with(self.close.as_str()) {
                return ValueEnd::Text;
            }
            if call_close.iter().any(|close| here.starts_with(close.as_str())) {
                return ValueEnd::End;
            }
            from = at.saturating_add(1);
        }
        if rest.len() > limit {
            sink.ledger.exceed(LimitError::Held { limit });
            let next = window.trim_ascii_start();
            let is_tag =
                next.strip_prefix('<').is_some_and(|tag| tag.starts_with(|c: char| c.is_alphabetic()));
            return if is_tag { ValueEnd::End } else { ValueEnd::Text };
        }
        self.searched = window.len().saturating_sub(longest);
        if ended { ValueEnd::End } else { ValueEnd::Wait }
    }

    fn push_text(&mut self, text: &str, sink: &mut Sink<'_>) {
        if text.is_empty() {
            return;
        }
        match &mut self.held {
            None => sink.push_escaped(self.key, text),
            Some(held) => {
                let limit = sink.ledger.limits.value_bytes;
                if held.len().saturating_add(text.len()) > limit {
                    sink.ledger.exceed(LimitError::Value { limit });
                    self.overflowed = true;
                } else {
                    held.push_str(text);
                }
            }
        }
    }
}
