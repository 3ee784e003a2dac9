//! Response bodies, read up to a limit and decompressed on the way.

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;
use hyper::header::{CONTENT_ENCODING, HeaderMap};
use tokio::time::{Instant, timeout_at};
use windlass_web_reach::CheckedResponse;

use crate::{Ending, FetchError, WebLimits};

/// Result of reading a body.
pub(crate) struct ReadBody {
    pub(crate) bytes: Vec<u8>,
    pub(crate) wire_bytes: usize,
    pub(crate) ending: Ending,
}

/// Buffer with a size limit. A decompression bomb is stopped while it is decompressed.
struct CappedBuffer {
    bytes: Vec<u8>,
    limit: usize,
    is_full: bool,
}

enum Unpacking {
    Plain(CappedBuffer),
    Gzip(Box<MultiGzDecoder<CappedBuffer>>),
}

/// Reads a body. Keeps the bytes that arrived before a limit, a broken connection or the deadline.
pub(crate) async fn take(
    answer: &mut CheckedResponse,
    limits: &WebLimits,
    deadline: Instant,
) -> Result<ReadBody, FetchError> {
    let mut unpacking = Unpacking::from_headers(answer.headers(), limits.decoded_bytes)?;
    let mut wire_bytes = 0_usize;
    let ending = loop {
        let Ok(next) = timeout_at(deadline, answer.next()).await else { break Ending::OutOfTime };
        let bytes = match next {
            None => break Ending::Whole,
            Some(Err(_)) => break Ending::Cut,
            Some(Ok(bytes)) => bytes,
        };
        let room = limits.wire_bytes.saturating_sub(wire_bytes);
        let allowed = bytes.get(..room).unwrap_or(&bytes);
        wire_bytes = wire_bytes.saturating_add(allowed.len());
        if unpacking.push(allowed).is_err() {
            break if unpacking.is_full() { Ending::DecodedLimit } else { Ending::Broken };
        }
        if allowed.len() < bytes.len() {
            break Ending::WireLimit;
        }
    };
    // An empty body is not a valid gzip stream, and it is not an error either.
    let (bytes, ending) = if wire_bytes == 0 { (Vec::new(), ending) } else { unpacking.finish(ending) };
    Ok(ReadBody { bytes, wire_bytes, ending })
}

impl Unpacking {
    fn from_headers(headers: &HeaderMap, limit: usize) -> Result<Self, FetchError> {
        let capped = CappedBuffer { bytes: Vec::new(), limit, is_full: false };
        let mut values = headers.get_all(CONTENT_ENCODING).iter();
        let (first, second) = (values.next(), values.next());
        let first = first.map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_ascii_lowercase());
        match (first.as_deref().unwrap_or("identity"), second) {
            ("identity" | "", None) => Ok(Self::Plain(capped)),
            ("gzip" | "x-gzip", None) => Ok(Self::Gzip(Box::new(MultiGzDecoder::new(capped)))),
            (other, None) => Err(FetchError::Packing { encoding: other.chars().take(40).collect() }),
            (_, Some(_)) => Err(FetchError::Packing { encoding: "several layers".to_owned() }),
        }
    }

    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(capped) => capped.write_all(bytes),
            Self::Gzip(decoder) => decoder.write_all(bytes),
        }
    }

    fn is_full(&self) -> bool {
        match self {
            Self::Plain(capped) => capped.is_full,
            Self::Gzip(decoder) => decoder.get_ref().is_full,
        }
    }

    /// Flushes the decoder, and returns all bytes with the ending. The ending changes if the flush exceeds
    /// the size limit, or if the gzip stream is incomplete.
    fn finish(self, ending: Ending) -> (Vec<u8>, Ending) {
        let mut decoder = match self {
            Self::Plain(capped) => return (capped.bytes, ending),
            Self::Gzip(decoder) => decoder,
        };
        let finished = decoder.try_finish();
        let capped = decoder.get_mut();
        let ending = match (ending, finished) {
            (Ending::Whole, Err(_)) if capped.is_full => Ending::DecodedLimit,
            (Ending::Whole, Err(_)) => Ending::Broken,
            (ending, _) => ending,
        };
        (std::mem::take(&mut capped.bytes), ending)
    }
}

impl Write for CappedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.limit.saturating_sub(self.bytes.len());
        let taken = bytes.get(..room).unwrap_or(bytes);
        self.bytes.extend_from_slice(taken);
        if taken.len() < bytes.len() {
            self.is_full = true;
            return Err(io::Error::other("the decoded body is over its limit"));
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
