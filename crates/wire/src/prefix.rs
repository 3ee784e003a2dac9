//! The prefix of a body that the next request of the conversation repeats, and a test helper that checks it.

use std::fmt;
use std::str::FromStr;

use crate::encoded::TAIL;

/// The prefix of a request's body that the next request of the conversation repeats: the body without its
/// closing brackets. A provider's prompt cache requires that this prefix is byte-identical.
///
/// It consists of a length and a digest, so that a test can compare turns of different processes or days. The
/// digest is 128-bit FNV-1a: it detects accidental changes but is not cryptographic.
///
/// ```
/// use windlass_wire::CachePrefix;
/// let first = CachePrefix::from_body(br#"{"model":"m","messages":["hello"]}"#);
/// assert!(first.begins(br#"{"model":"m","messages":["hello","hi","and?"]}"#));
/// assert!(!first.begins(br#"{"model":"n","messages":["hello","hi","and?"]}"#));
/// let kept: CachePrefix = first.to_string().parse()?;
/// assert_eq!(kept, first);
/// # Ok::<(), windlass_wire::CachePrefixError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CachePrefix {
    /// The length of the prefix in bytes.
    pub bytes: usize,
    /// The FNV-1a digest of the prefix.
    pub digest: u128,
}

/// Error of parsing a [`CachePrefix`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a prefix is written as its length, a colon, and 32 hexadecimal digits")]
#[non_exhaustive]
pub struct CachePrefixError;

impl CachePrefix {
    /// Returns the prefix of a body.
    pub fn from_body(body: &[u8]) -> Self {
        let prefix = find_repetition(body);
        Self { bytes: prefix.len(), digest: fnv1a(prefix) }
    }

    /// Returns whether a body begins with this prefix.
    pub fn begins(&self, body: &[u8]) -> bool {
        body.get(..self.bytes).is_some_and(|start| fnv1a(start) == self.digest)
    }
}

impl fmt::Display for CachePrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:032x}", self.bytes, self.digest)
    }
}

impl FromStr for CachePrefix {
    type Err = CachePrefixError;

    fn from_str(text: &str) -> Result<Self, CachePrefixError> {
        let (bytes, digest) = text.split_once(':').ok_or(CachePrefixError)?;
        let is_digest = digest.len() == 32 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        let digest = u128::from_str_radix(digest, 16).ok().filter(|_| is_digest).ok_or(CachePrefixError)?;
        Ok(Self { bytes: bytes.parse().map_err(|_| CachePrefixError)?, digest })
    }
}

/// Asserts that each body of a conversation begins with the previous body without its closing brackets. For
/// tests of an agent: collect the bodies with a mock server or with an intercepting transport.
///
/// ```
/// let turns = [r#"{"messages":["hello"]}"#, r#"{"messages":["hello","hi","and?"]}"#];
/// windlass_wire::assert_append_only(turns);
/// ```
///
/// # Panics
/// Panics if a body differs, with the offset and an excerpt of both bodies.
#[track_caller]
pub fn assert_append_only<B: AsRef<[u8]>>(bodies: impl IntoIterator<Item = B>) {
    let mut before: Option<B> = None;
    for (turn, body) in bodies.into_iter().enumerate() {
        let now = body.as_ref();
        let start = before.as_ref().map_or(&[][..], |before| find_repetition(before.as_ref()));
        let met = start.iter().zip(now).take_while(|(one, other)| one == other).count();
        assert!(
            met == start.len(),
            "request {turn} does not begin with the request before it: after {met} equal bytes it has\n  {}\nand not\n  {}",
            excerpt(now, met),
            excerpt(start, met),
        );
        before = Some(body);
    }
}

/// Returns the bytes around an offset.
fn excerpt(body: &[u8], at: usize) -> String {
    const AROUND: usize = 40;
    let end = at.saturating_add(AROUND).min(body.len());
    String::from_utf8_lossy(body.get(at.saturating_sub(AROUND)..end).unwrap_or_default()).into_owned()
}

fn find_repetition(body: &[u8]) -> &[u8] {
    body.strip_suffix(TAIL).unwrap_or(body)
}

fn fnv1a(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}
