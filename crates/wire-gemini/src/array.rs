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
        let mut begun = if self.is_inside() { Some(0) } else { None };
        for (at, byte) in bytes.iter().enumerate() {
            if self.depth == 0 {
                if self.begin(*byte)? {
                    begun = Some(at);
                }
                continue;
            }
            self.length = self.length.saturating_add(1);
            if self.length > self.limits.event_bytes {
                return Err(DecodeError::Limit {
                    what: "bytes of one event",
                    limit: self.limits.event_bytes,
                });
            }
            if self.ends(*byte) {
                let from = begun.take().unwrap_or(0);
                self.element.extend_from_slice(bytes.get(from..=at).unwrap_or_default());
                self.elements = self.elements.saturating_add(1);
                if self.elements > self.limits.events {
                    return Err(DecodeError::Limit { what: "events", limit: self.limits.events });
                }
                let element = std::mem::take(&mut self.element);
                on_element(self.elements, &String::from_utf8_lossy(&element))?;
            }
        }
        if let Some(from) = begun {
            self.element.extend_from_slice(bytes.get(from..).unwrap_or_default());
        }
        Ok(())
    }

    /// Reads a byte between elements and says whether it begins one.
    fn begin(&mut self, byte: u8) -> Result<bool, DecodeError> {
        match byte {
            b'{' => {
                self.depth = 1;
                self.length = 1;
                self.place = Place::Structure;
                Ok(true)
            }
            // Which of them stands where is not looked at: what counts is inside the objects.
            b'[' | b']' | b',' => Ok(false),
            byte if byte.is_ascii_whitespace() || BYTE_ORDER_MARK.contains(&byte) => Ok(false),
            _ => {
                let what = "a list of something that is no object".to_owned();
                Err(DecodeError::Shape { wire: NAME, what })
            }
        }
    }

    /// Reads a byte of an element and says whether it is the element's last.
    fn ends(&mut self, byte: u8) -> bool {
        self.place = match (self.place, byte) {
            (Place::Text, b'\\') => Place::Escape,
            (Place::Text, b'"') => Place::Structure,
            (Place::Text | Place::Escape, _) | (Place::Structure, b'"') => Place::Text,
            (Place::Structure, b'{' | b'[') => {
                self.depth = self.depth.saturating_add(1);
                Place::Structure
            }
            (Place::Structure, b'}' | b']') => {
                self.depth = self.depth.saturating_sub(1);
                Place::Structure
            }
            (Place::Structure, _) => Place::Structure,
        };
        self.depth == 0
    }
}
