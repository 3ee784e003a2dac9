//! The estimates of tokens: of a request's input, for the counting endpoints, for reservations and for the first event of
//! a translated stream, and of an answer's text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use windlass_stream::{CallChunk, Chunk};
use windlass_tokens::Tokenizer;

/// Tokens of a picture or a document in base64: providers count pixels and pages, which are not known here.
const OF_A_FILE: u64 = 1_500;
/// Tokens around each message.
const OF_A_MESSAGE: u64 = 4;
/// The beginning of a text under the key `data` that decides if it is a file. A shorter text is counted.
const LONGEST_DATA: usize = 512;

/// The fields of a request that the model reads, in all formats.
const INPUT_FIELDS: [&str; 10] = [
    "system",
    "instructions",
    "messages",
    "input",
    "contents",
    "systemInstruction",
    "tools",
    "generateContentRequest",
    // Embeddings.
    "content",
    "requests",
];

/// Bytes of an answer's text for one token, if the provider does not count.
const BYTES_PER_TOKEN: usize = 4;

/// Estimates the tokens of a chunk of an answer by the length of its texts.
pub(crate) fn chunk_tokens(chunk: &Chunk) -> u64 {
    match chunk {
        Chunk::Text { text } | Chunk::Reasoning { text } => output_tokens(text.len()),
        Chunk::Call(call) => output_tokens(call_bytes(call)),
        _ => 0,
    }
}

/// Returns the bytes that a chunk adds to a call. The end of a call can only repeat them.
fn call_bytes(call: &CallChunk) -> usize {
    match call {
        CallChunk::Partial { name, arguments, .. } => {
            [name, arguments].into_iter().flatten().map(String::len).sum()
        }
        CallChunk::Start { name, .. } => name.len(),
        CallChunk::Delta { arguments, .. } => arguments.len(),
        CallChunk::Whole { name, body, .. } => {
            serde_json::to_vec(body).map_or(0, |body| body.len()).saturating_add(name.len())
        }
        _ => 0,
    }
}

/// Estimates the tokens of a text of an answer by its length.
pub(crate) fn output_tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX)
}

/// Counts the input tokens of a request's body, text by text and without building its values. Returns `None` if the body
/// is not a JSON object.
pub(crate) fn input_tokens(body: &[u8], tokenizer: &Tokenizer) -> Option<u64> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let mut json = serde_json::Deserializer::from_slice(body);
    let tokens = json.deserialize_map(Root(tokenizer)).ok()?;
    json.end().ok().map(|()| tokens)
}

/// The body of a request.
struct Root<'a>(&'a Tokenizer);

/// A value below the field with this name.
#[derive(Clone, Copy)]
struct Node<'a> {
    tokenizer: &'a Tokenizer,
    name: &'a str,
}

/// Returns true for a file in base64. The `data` of a text document differs from it by its blanks.
fn is_file(name: &str, text: &str) -> bool {
    let start = text.as_bytes().get(..LONGEST_DATA);
    let is_base64 = |start: &[u8]| {
        start
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'='))
    };
    let is_url = text.starts_with("data:") && text.contains(";base64,");
    is_url || matches!(name, "data" | "file_data") && start.is_some_and(is_base64)
}

impl<'de> Visitor<'de> for Root<'_> {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a request")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<u64, A::Error> {
        let mut tokens: u64 = 0;
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            if INPUT_FIELDS.contains(&name.as_ref()) {
                let node = Node { tokenizer: self.0, name: &name };
                tokens = tokens.saturating_add(map.next_value_seed(node)?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(tokens)
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        // The recursion is bounded by the limit of the parser.
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_str<E>(self, text: &str) -> Result<u64, E> {
        Ok(if is_file(self.name, text) { OF_A_FILE } else { self.tokenizer.count(text) })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<u64, A::Error> {
        let mut tokens: u64 = 0;
        while let Some(count) = items.next_element_seed(self)? {
            tokens = tokens.saturating_add(count);
        }
        Ok(tokens)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<u64, A::Error> {
        let mut tokens: u64 = 0;
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            let name = name.as_ref();
            if matches!(name, "role" | "type" | "id" | "tool_use_id" | "cache_control") {
                map.next_value::<IgnoredAny>()?;
                let around = if name == "role" { OF_A_MESSAGE } else { 0 };
                tokens = tokens.saturating_add(around);
            } else {
                let node = Node { tokenizer: self.tokenizer, name };
                tokens = tokens.saturating_add(map.next_value_seed(node)?);
            }
        }
        Ok(tokens)
    }

    fn visit_bool<E>(self, _: bool) -> Result<u64, E> {
        Ok(0)
    }

    fn visit_unit<E>(self) -> Result<u64, E> {
        Ok(0)
    }

    fn visit_i64<E>(self, _: i64) -> Result<u64, E> {
        Ok(1)
    }

    fn visit_u64<E>(self, _: u64) -> Result<u64, E> {
        Ok(1)
    }

    fn visit_f64<E>(self, _: f64) -> Result<u64, E> {
        Ok(1)
    }
}
