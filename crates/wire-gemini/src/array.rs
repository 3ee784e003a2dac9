//! Splits a JSON array that arrives in fragments into its elements.

use windlass_wire::{DecodeError, WireLimits};

use crate::names::NAME;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A splitter for an array of objects, with the same elements for every split of its bytes (RULES S14). The
/// API streams such an array if a request does not have `alt=sse`.
#[derive(Debug)]
pub(crate) struct ArrayStream {
    limits: WireLimits,
    /// The bytes of the current element from earlier pushes.
    element: Vec<u8>,
    /// The nesting depth inside the array; 0 between elements.
    depth: usize,
    length: usize,
    place: Place,
    elements: usize,
}

/// The lexical state after the last byte of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Structure,
    Text,
    Escape,
}

impl ArrayStream {
    pub(crate) fn new(limits: WireLimits) -> Self {
        Self { limits, element: Vec::new(), depth: 0, length: 0, place: Place::Structure, elements: 0 }
    }

    /// Returns the number of complete elements.
    pub(crate) fn elements(&self) -> usize {
        self.elements
    }

    /// Returns true if an element has started and not ended.
    pub(crate) fn is_inside(&self) -> bool {
        self.depth > 0
    }

    /// Reads the next bytes and calls `on_element` for each element that they complete, with its number from
    /// 1.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        mut on_element: impl FnMut(usize, &str) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if !self.is_inside() {
                let Some(begun) = beginning(rest)? else { return Ok(()) };
                rest = begun;
            }
            let end = self.end(rest);
            let (part, after) = end.and_then(|end| rest.split_at_checked(end)).unwrap_or((rest, &[]));
            rest = after;
            self.length = self.length.saturating_add(part.len());
            if self.length > self.limits.event_bytes {
                return Err(DecodeError::Limit {
                    what: "bytes of one event",
                    limit: self.limits.event_bytes,
                });
            }
            if end.is_none() {
                self.element.extend_from_slice(part);
                return Ok(());
            }
            self.length = 0;
            self.elements = self.elements.saturating_add(1);
            if self.elements > self.limits.events {
                return Err(DecodeError::Limit { what: "events", limit: self.limits.events });
            }
            // An element within one slice is borrowed from it.
            if self.element.is_empty() {
                on_element(self.elements, &String::from_utf8_lossy(part))?;
            } else {
                self.element.extend_from_slice(part);
                on_element(self.elements, &String::from_utf8_lossy(&self.element))?;
                self.element.clear();
            }
        }
        Ok(())
    }

    /// Reads on in the current element. Returns the position after its end, if it ends in `bytes`.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let (mut depth, mut place) = (self.depth, self.place);
        let mut end = None;
        for (at, byte) in bytes.iter().enumerate() {
            match (place, byte) {
                (Place::Text, b'\\') => place = Place::Escape,
                (Place::Text, b'"') => place = Place::Structure,
                (Place::Escape, _) | (Place::Structure, b'"') => place = Place::Text,
                (Place::Structure, b'{' | b'[') => depth = depth.saturating_add(1),
                (Place::Structure, b'}' | b']') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        end = Some(at.saturating_add(1));
                        break;
                    }
                }
                (Place::Text | Place::Structure, _) => {}
            }
        }
        (self.depth, self.place) = (depth, place);
        end
    }
}

/// Skips to the start of the next element. Returns `None` if it has not arrived yet.
fn beginning(bytes: &[u8]) -> Result<Option<&[u8]>, DecodeError> {
    // The order of brackets and commas is not checked, because only the objects matter.
    let is_between = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'[' | b']' | b',') || BYTE_ORDER_MARK.contains(byte)
    };
    match bytes.iter().position(|byte| !is_between(byte)).and_then(|at| bytes.get(at..)) {
        None => Ok(None),
        Some(begun) if begun.starts_with(b"{") => Ok(Some(begun)),
        Some(_) => {
            let what = "a list with an element that is not an object".to_owned();
            Err(DecodeError::Shape { wire: NAME, what })
        }
    }
}
