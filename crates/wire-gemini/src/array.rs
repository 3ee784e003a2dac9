//! Cuts a JSON array that arrives in pieces into its elements.

use windlass_wire::{DecodeError, Limits};

use crate::wire::NAME;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Cuts an array of objects into the objects, however its bytes are split (RULES S14). Without `alt=sse` this is
/// how the API streams.
#[derive(Debug)]
pub(crate) struct ArrayStream {
    limits: Limits,
    /// The element that has begun, as far as it was in pushes before.
    element: Vec<u8>,
    /// How many objects and lists are open inside the array; none between elements.
    depth: usize,
    length: usize,
    place: Place,
    elements: usize,
}

/// Where in an element the last byte was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Structure,
    Text,
    Escape,
}

impl ArrayStream {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, element: Vec::new(), depth: 0, length: 0, place: Place::Structure, elements: 0 }
    }

    /// How many elements were whole.
    pub(crate) fn elements(&self) -> usize {
        self.elements
    }

    /// Whether an element has begun and not ended.
    pub(crate) fn is_inside(&self) -> bool {
        self.depth > 0
    }

    /// Takes the next bytes and lends each element that they complete, with its number from 1.
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
            // An element that lies in one piece is lent from there.
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

    /// Reads on in an element, and gives where it ends if it ends here.
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

/// What follows from the beginning of the next element on; none if it is still to come.
fn beginning(bytes: &[u8]) -> Result<Option<&[u8]>, DecodeError> {
    // Which bracket or comma stands where is not looked at: what counts is inside the objects.
    let is_between = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'[' | b']' | b',') || BYTE_ORDER_MARK.contains(byte)
    };
    match bytes.iter().position(|byte| !is_between(byte)).and_then(|at| bytes.get(at..)) {
        None => Ok(None),
        Some(begun) if begun.starts_with(b"{") => Ok(Some(begun)),
        Some(_) => {
            let what = "a list of something that is no object".to_owned();
            Err(DecodeError::Shape { wire: NAME, what })
        }
    }
}
