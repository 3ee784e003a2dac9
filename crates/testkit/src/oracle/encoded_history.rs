//! The property that encoding with and without a cache gives the same bytes.

mod edits;

use windlass_vendors::WireFormat;
use windlass_wire::{EncodedHistory, Wire, assert_append_only};
use windlass_wire_anthropic::{Anthropic, AnthropicOptions, Caching};

use self::edits::{Edit, EditedRequest};

/// Interprets the bytes as changes of a conversation between two requests: turns, steering, edits,
/// compaction, copies, other tools, another model, another format with the same cache. Each request has the
/// bytes, or the error, of an encoding without a cache. If only a turn was added, the request starts with the
/// bytes of the previous request (RULES N6).
///
/// # Panics
/// The property is violated.
pub fn encoded_history(bytes: &[u8]) {
    let caching = AnthropicOptions::default().with_caching(Caching::Conversation);
    let (plain, caching) = (Anthropic::default(), Anthropic::new(caching));
    let mut formats: Vec<(&dyn Wire, &dyn Wire)> =
        WireFormat::all().iter().map(|format| (format.wire.as_ref(), format.faithful.as_ref())).collect();
    // Markers of a cache are part of the bytes.
    formats.push((&plain, &caching));
    let mut memories = vec![EncodedHistory::new(); formats.len() + 1];
    let mut before: Vec<Option<Vec<u8>>> = vec![None; formats.len()];
    let mut asked = EditedRequest::new();
    let mut bytes = bytes.iter().copied();
    while let Some(operation) = bytes.next() {
        let edit = asked.edit(operation, bytes.next().unwrap_or_default());
        for (at, (wire, other)) in formats.iter().enumerate() {
            let wire = if asked.is_otherwise { other } else { wire };
            let alone = wire.encode(&asked.request).map_err(|error| error.to_string());
            // The last cache is used with all formats in turn.
            for memory in [at, formats.len()] {
                let again = memories[memory].encode(*wire, &asked.request).map_err(|error| error.to_string());
                assert_eq!(
                    again.as_ref().map(|http| String::from_utf8_lossy(&http.body)),
                    alone.as_ref().map(|http| String::from_utf8_lossy(&http.body)),
                    "{} remembers its own bytes",
                    wire.name()
                );
                assert_eq!(again, alone, "path and headers too");
            }
            let now = alone.ok().map(|http| http.body.to_vec());
            if let (Edit::Turn, Some(before), Some(now)) = (&edit, &before[at], &now) {
                assert_append_only([before, now]);
            }
            before[at] = now;
        }
    }
}
