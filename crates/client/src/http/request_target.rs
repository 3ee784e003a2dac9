//! The URL of a request, as HTTP sends it.

use std::borrow::Cow;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, Uri};

use crate::transport::{TransportError, TransportErrorKind};

/// A URL without user and password, and the header that carries these.
pub(super) struct Target {
    pub(super) uri: Uri,
    pub(super) authorization: Option<HeaderValue>,
}

impl Target {
    /// Parses a URL. Characters that a URL cannot contain are percent-encoded, and the fragment is dropped.
    pub(super) fn parse(url: &str) -> Result<Self, TransportError> {
        let refuse =
            || TransportError::new(TransportErrorKind::Request, "the address is not a URL".to_owned());
        let (url, _) = url.trim().split_once('#').unwrap_or((url.trim(), ""));
        let (scheme, rest) = url.split_once("://").ok_or_else(refuse)?;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end).ok_or_else(refuse)?;
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        let uri: Uri = match (user, percent_encode(path)) {
            (None, Cow::Borrowed(_)) => url.parse(),
            (_, path) => format!("{scheme}://{host}{path}").parse(),
        }
        .map_err(|_| refuse())?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        if !is_http || uri.host().is_none_or(str::is_empty) {
            return Err(refuse());
        }
        Ok(Self { uri, authorization: user.and_then(basic) })
    }
}

/// Returns the header of basic authentication.
fn basic(user: &str) -> Option<HeaderValue> {
    let (name, password) = user.split_once(':').unwrap_or((user, ""));
    let mut pair = decode_percent(name);
    pair.push(b':');
    pair.extend(decode_percent(password));
    let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Percent-encodes the characters that are not allowed in a path or a query.
fn percent_encode(path: &str) -> Cow<'_, str> {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    if path.bytes().all(is_allowed) {
        return Cow::Borrowed(path);
    }
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if is_allowed(byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    Cow::Owned(text)
}

/// Decodes percent escapes. An incomplete escape stays as it is.
fn decode_percent(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%').and_then(parse_byte);
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    bytes
}

/// Parses two hexadecimal digits.
fn parse_byte(digits: &[u8]) -> Option<u8> {
    // `from_str_radix` alone would accept a sign.
    let digits =
        std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|c| c.is_ascii_hexdigit()))?;
    u8::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests;
