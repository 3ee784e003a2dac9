//! Keeps secrets out of what is written.

use secrecy::{ExposeSecret, SecretString};

/// What stands in the place of a secret.
const MARK: &str = "[redacted]";

/// A secret shorter than this would be found everywhere.
const SHORTEST: usize = 6;

/// Takes secrets out of texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Redactor {
    secrets: Vec<SecretString>,
}

/// Takes secrets out of bytes that come in pieces.
#[derive(Debug, Default)]
pub(crate) struct Held(Vec<u8>);

impl Redactor {
    pub(crate) fn new(secrets: impl IntoIterator<Item = SecretString>) -> Self {
        let mut redactor = Self::default();
        secrets.into_iter().for_each(|secret| redactor.add(secret.expose_secret()));
        redactor
    }

    /// Learns one more secret, as the value of a header that carries a key.
    pub(crate) fn add(&mut self, secret: &str) {
        // The scheme before a key is no secret, and the key stands alone elsewhere.
        let secret = secret.strip_prefix("Bearer ").unwrap_or(secret);
        let is_known = self.secrets.iter().any(|known| known.expose_secret() == secret);
        if secret.len() >= SHORTEST && !is_known {
            self.secrets.push(secret.to_owned().into());
            // The longest first, so that a secret inside of another leaves nothing of it.
            self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose_secret().len()));
        }
    }

    pub(crate) fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            if text.contains(secret.expose_secret()) {
                text = text.replace(secret.expose_secret(), MARK);
            }
        }
        text
    }

    pub(crate) fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for secret in &self.secrets {
            bytes = replaced(&bytes, secret.expose_secret().as_bytes());
        }
        bytes
    }

    /// More bytes; the end that may be the beginning of a secret is held back.
    pub(crate) fn push(&self, held: &mut Held, bytes: &[u8]) -> Vec<u8> {
        held.0.extend_from_slice(bytes);
        let clean = self.bytes(&held.0);
        let keep =
            self.secrets.iter().map(|secret| open_end(&clean, secret.expose_secret().as_bytes())).max();
        let cut = clean.len().saturating_sub(keep.unwrap_or(0));
        let (done, rest) = clean.split_at(cut);
        held.0 = rest.to_vec();
        done.to_vec()
    }

    /// What is still held, when nothing more comes.
    pub(crate) fn finish(&self, held: &mut Held) -> Vec<u8> {
        self.bytes(&std::mem::take(&mut held.0))
    }
}

/// How many bytes at the end may be the beginning of the secret.
fn open_end(bytes: &[u8], secret: &[u8]) -> usize {
    let most = bytes.len().min(secret.len().saturating_sub(1));
    let begins = |length: &usize| {
        let from = bytes.len().saturating_sub(*length);
        bytes.get(from..).is_some_and(|end| secret.starts_with(end))
    };
    (1..=most).rev().find(begins).unwrap_or(0)
}

fn replaced(bytes: &[u8], secret: &[u8]) -> Vec<u8> {
    let mut clean = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        if let Some(after) = rest.strip_prefix(secret) {
            clean.extend_from_slice(MARK.as_bytes());
            rest = after;
        } else {
            clean.push(first);
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    clean
}

/// Whether a text is the one that was recorded. What was taken out of it may have been anything: the one who plays a
/// cassette has other secrets than the one who recorded it.
pub(crate) fn is_recorded(recorded: &str, met: &str) -> bool {
    let mut pieces = recorded.split(MARK);
    let Some(mut rest) = pieces.next().and_then(|first| met.strip_prefix(first)) else { return false };
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = rest.get(at.saturating_add(piece.len())..).unwrap_or_default();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests;
