//! Packed bodies of requests.

mod zstandard;

use std::io::Read as _;

use brotli_decompressor::Decompressor;
use bytes::Bytes;
use flate2::read::{MultiGzDecoder, ZlibDecoder};

use crate::ClientRequest;

/// The encodings that a client may use, for its header `accept-encoding`.
pub(crate) const ENCODINGS: &str = "gzip, deflate, br, zstd";
/// Bytes of packed data that the Brotli decoder reads at once.
const BROTLI_BUFFER: usize = 4096;

/// The encoding of a packed body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Gzip,
    Deflate,
    Brotli,
    Zstandard,
}

/// The reason why a body cannot be unpacked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnpackError {
    /// The bytes do not have the encoding.
    #[error("the body does not have its content-encoding")]
    Format,
    /// The unpacked body is larger than the limit.
    #[error("the unpacked body has more than {0} bytes")]
    TooLarge(usize),
}

impl UnpackError {
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::Format => 400,
            Self::TooLarge(_) => 413,
        }
    }
}

/// Finds the encoding of a request's body.
///
/// # Errors
/// The name of an encoding, or of several, that is not unpacked.
pub(crate) fn find_encoding(request: &ClientRequest) -> Result<Option<Encoding>, String> {
    let mut names = request.headers.iter().filter(|(name, _)| name == "content-encoding");
    let Some((_, name)) = names.next() else { return Ok(None) };
    match name.trim().to_ascii_lowercase().as_str() {
        _ if names.next().is_some() => Err("several".to_owned()),
        "" | "identity" => Ok(None),
        "gzip" | "x-gzip" => Ok(Some(Encoding::Gzip)),
        "deflate" => Ok(Some(Encoding::Deflate)),
        "br" => Ok(Some(Encoding::Brotli)),
        "zstd" => Ok(Some(Encoding::Zstandard)),
        _ => Err(name.chars().take(40).collect()),
    }
}

/// Unpacks the body of a request, on a thread for blocking work.
///
/// # Errors
/// The body does not have the encoding, or it is larger than `most` bytes.
pub(crate) async fn unpack(
    request: &mut ClientRequest,
    encoding: Encoding,
    most: usize,
) -> Result<(), UnpackError> {
    let packed = std::mem::take(&mut request.body);
    let unpacked = tokio::task::spawn_blocking(move || read(&packed, encoding, most)).await;
    request.body = unpacked.unwrap_or(Err(UnpackError::Format))?;
    request.headers.retain(|(name, _)| name != "content-encoding" && name != "content-length");
    Ok(())
}

fn read(packed: &[u8], encoding: Encoding, most: usize) -> Result<Bytes, UnpackError> {
    // One byte more than the limit finds a body that is too large.
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let mut body = Vec::new();
    let result = match encoding {
        Encoding::Gzip => MultiGzDecoder::new(packed).take(limit).read_to_end(&mut body),
        Encoding::Deflate => ZlibDecoder::new(packed).take(limit).read_to_end(&mut body),
        Encoding::Brotli => Decompressor::new(packed, BROTLI_BUFFER).take(limit).read_to_end(&mut body),
        Encoding::Zstandard => zstandard::unpack(packed, limit, &mut body),
    };
    result.map_err(|_| UnpackError::Format)?;
    if body.len() > most {
        return Err(UnpackError::TooLarge(most));
    }
    Ok(body.into())
}
