//! The conversion of payloads on their way to the server: encryption, and storage by content hash.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt as _, TryStreamExt as _, stream};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use temporalio_common::data_converters::{PayloadCodec, PayloadConversionError, SerializationContextData};
use temporalio_common::protos::temporal::api::common::v1::Payload;

use crate::{ContentHash, ContentStore};

/// The key of a payload's metadata that names its encoding.
const ENCODING: &str = "encoding";
/// The encoding of an encrypted payload.
const ENCRYPTED: &[u8] = b"binary/windlass-aes-256-gcm";
/// The encoding of a payload that contains only the hash of the stored payload.
const STORED: &[u8] = b"binary/windlass-content-hash";
/// Payloads above this size are stored by content hash. The server refuses payloads above 2 MiB and warns above
/// 512 KiB, and a workflow's whole history may have 50 MiB.
const LARGEST_PAYLOAD: usize = 64 * 1024;

/// A key with which payloads are encrypted before they reach the server and the content store. All workers and
/// clients of a run need the same key.
#[derive(Clone)]
pub struct Cipher {
    key: Arc<LessSafeKey>,
}

/// The reason why a key cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CipherError {
    /// The key does not have 32 bytes.
    #[error("the key has {0} bytes instead of 32")]
    Length(usize),
}

/// The failure of an encryption or decryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum CodecError {
    #[error("a payload could not be encrypted")]
    Encrypt,
    #[error("a payload could not be decrypted; this process has another key or none")]
    Decrypt,
    #[error("a payload is not in the expected form")]
    Form,
}

impl Cipher {
    /// Creates a cipher (AES-256-GCM) with a key of 32 bytes.
    ///
    /// # Errors
    /// Returns an error if the key has another length.
    pub fn new(key: &[u8]) -> Result<Self, CipherError> {
        let unbound = UnboundKey::new(&AES_256_GCM, key).map_err(|_| CipherError::Length(key.len()))?;
        Ok(Self { key: Arc::new(LessSafeKey::new(unbound)) })
    }

    /// Encrypts bytes under a random nonce, which precedes the result.
    fn encrypt(&self, mut content: Vec<u8>) -> Result<Vec<u8>, CodecError> {
        let mut nonce = [0_u8; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| CodecError::Encrypt)?;
        let sealed = self.key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(ENCRYPTED),
            &mut content,
        );
        sealed.map_err(|_| CodecError::Encrypt)?;
        Ok([nonce.as_slice(), &content].concat())
    }

    fn decrypt(&self, content: &[u8]) -> Result<Vec<u8>, CodecError> {
        let (nonce, sealed) = content.split_first_chunk::<NONCE_LEN>().ok_or(CodecError::Form)?;
        let mut opened = sealed.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let length = self
            .key
            .open_in_place(nonce, Aad::from(ENCRYPTED), &mut opened)
            .map_err(|_| CodecError::Decrypt)?
            .len();
        opened.truncate(length);
        Ok(opened)
    }
}

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cipher")
    }
}

/// The codec of workers and clients.
#[derive(Clone)]
pub(crate) struct RunCodec {
    content: Arc<dyn ContentStore>,
    cipher: Option<Cipher>,
}

impl RunCodec {
    pub(crate) fn new(content: Arc<dyn ContentStore>, cipher: Option<Cipher>) -> Self {
        Self { content, cipher }
    }

    /// Encrypts a value of the content store if a key is set. The converted value begins with its form.
    pub(crate) fn seal(&self, content: Vec<u8>) -> Result<Vec<u8>, PayloadConversionError> {
        let Some(cipher) = &self.cipher else { return Ok([&[0], content.as_slice()].concat()) };
        let sealed = cipher.encrypt(content).map_err(to_conversion_error)?;
        Ok([&[1], sealed.as_slice()].concat())
    }

    /// Reverses [`seal`](Self::seal).
    pub(crate) fn open(&self, content: &[u8]) -> Result<Vec<u8>, PayloadConversionError> {
        match (content.split_first(), &self.cipher) {
            (Some((0, plain)), _) => Ok(plain.to_vec()),
            (Some((1, sealed)), Some(cipher)) => cipher.decrypt(sealed).map_err(to_conversion_error),
            (Some((1, _)), None) => Err(to_conversion_error(CodecError::Decrypt)),
            _ => Err(to_conversion_error(CodecError::Form)),
        }
    }

    async fn encode_payload(&self, mut payload: Payload) -> Result<Payload, PayloadConversionError> {
        if let Some(cipher) = &self.cipher {
            let inner = serialize(&payload)?;
            payload = to_payload(ENCRYPTED, cipher.encrypt(inner).map_err(to_conversion_error)?);
        }
        if payload.data.len() > LARGEST_PAYLOAD {
            let hash = self.content.put(serialize(&payload)?).await.map_err(to_conversion_error)?;
            payload = to_payload(STORED, hash.as_str().as_bytes().to_vec());
        }
        Ok(payload)
    }

    async fn decode_payload(&self, mut payload: Payload) -> Result<Payload, PayloadConversionError> {
        if payload.metadata.get(ENCODING).is_some_and(|encoding| encoding == STORED) {
            let hash: ContentHash = serde_json::from_value(String::from_utf8_lossy(&payload.data).into())
                .map_err(to_conversion_error)?;
            payload = deserialize(&self.content.get(hash).await.map_err(to_conversion_error)?)?;
        }
        if payload.metadata.get(ENCODING).is_some_and(|encoding| encoding == ENCRYPTED) {
            let Some(cipher) = &self.cipher else { return Err(to_conversion_error(CodecError::Decrypt)) };
            payload = deserialize(&cipher.decrypt(&payload.data).map_err(to_conversion_error)?)?;
        }
        Ok(payload)
    }
}

type ConversionFuture = BoxFuture<'static, Result<Vec<Payload>, PayloadConversionError>>;

impl PayloadCodec for RunCodec {
    fn encode(&self, _: &SerializationContextData, payloads: Vec<Payload>) -> ConversionFuture {
        let codec = self.clone();
        async move { stream::iter(payloads).then(|payload| codec.encode_payload(payload)).try_collect().await }
            .boxed()
    }

    fn decode(&self, _: &SerializationContextData, payloads: Vec<Payload>) -> ConversionFuture {
        let codec = self.clone();
        async move { stream::iter(payloads).then(|payload| codec.decode_payload(payload)).try_collect().await }
            .boxed()
    }
}

fn to_payload(encoding: &[u8], data: Vec<u8>) -> Payload {
    Payload { metadata: [(ENCODING.to_owned(), encoding.to_vec())].into(), data, ..Payload::default() }
}

/// Serializes the metadata and the data of a payload: the length of the metadata, the metadata as JSON, the
/// data.
fn serialize(payload: &Payload) -> Result<Vec<u8>, PayloadConversionError> {
    let metadata = serde_json::to_vec(&payload.metadata).map_err(to_conversion_error)?;
    let length = u32::try_from(metadata.len()).map_err(to_conversion_error)?;
    Ok([length.to_be_bytes().as_slice(), &metadata, &payload.data].concat())
}

fn deserialize(content: &[u8]) -> Result<Payload, PayloadConversionError> {
    let form = || to_conversion_error(CodecError::Form);
    let (length, rest) = content.split_first_chunk::<4>().ok_or_else(form)?;
    let length = usize::try_from(u32::from_be_bytes(*length)).map_err(to_conversion_error)?;
    let (metadata, data) = rest.split_at_checked(length).ok_or_else(form)?;
    let metadata = serde_json::from_slice(metadata).map_err(to_conversion_error)?;
    Ok(Payload { metadata, data: data.to_vec(), ..Payload::default() })
}

pub(crate) fn to_conversion_error(
    error: impl std::error::Error + Send + Sync + 'static,
) -> PayloadConversionError {
    PayloadConversionError::EncodingError(Box::new(error))
}
