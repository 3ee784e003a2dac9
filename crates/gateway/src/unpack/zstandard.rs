//! Bodies of requests that are packed with Zstandard.

use std::io::{self, Read as _};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// The largest window of a body in HTTP (RFC 9659).
const MAX_WINDOW: u64 = 8 << 20;
/// Maximum frames of one body: an empty frame costs work and adds no output.
const MAX_FRAMES: usize = 1_000;

/// Appends the unpacked bytes of all frames to `body`, at most `limit` bytes.
///
/// # Errors
/// The bytes are not complete frames, or a frame has a window that HTTP does not permit.
pub(crate) fn unpack(packed: &[u8], limit: u64, body: &mut Vec<u8>) -> io::Result<usize> {
    let mut rest = packed;
    let mut decoder = FrameDecoder::new();
    for _ in 0..MAX_FRAMES {
        if rest.is_empty() && !packed.is_empty() {
            return Ok(body.len());
        }
        let room = limit.saturating_sub(body.len() as u64);
        if room == 0 {
            return Ok(body.len());
        }
        check_window(rest, limit)?;
        match StreamingDecoder::new_with_decoder(&mut rest, &mut decoder) {
            Ok(frame) => {
                frame.take(room).read_to_end(body)?;
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                rest = rest.get(length..).ok_or_else(invalid)?;
            }
            Err(error) => return Err(io::Error::other(error)),
        }
    }
    Err(invalid())
}

/// Checks the window of the frame that begins here, before a decoder reserves memory for it. A frame of one segment has
/// its content as the window.
fn check_window(frame: &[u8], limit: u64) -> io::Result<()> {
    const MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
    let Some([descriptor, header @ ..]) = frame.strip_prefix(MAGIC) else { return Ok(()) };
    let window = if descriptor & 0x20 == 0 {
        let byte = header.first().copied().ok_or_else(invalid)?;
        let base = 1_u64 << (10 + u32::from(byte >> 3));
        base.saturating_add((base / 8).saturating_mul(u64::from(byte & 7)))
    } else {
        let dictionary = [0, 1, 2, 4].get(usize::from(descriptor & 3)).copied().unwrap_or_default();
        let bytes = [1, 2, 4, 8].get(usize::from(descriptor >> 6)).copied().unwrap_or_default();
        let size = header.get(dictionary..).and_then(|rest| rest.get(..bytes)).ok_or_else(invalid)?;
        let mut number = [0; 8];
        number.iter_mut().zip(size).for_each(|(to, from)| *to = *from);
        // A content larger than the limit is found by its size when it is read.
        u64::from_le_bytes(number).min(limit)
    };
    if window > MAX_WINDOW.max(limit) { Err(invalid()) } else { Ok(()) }
}

fn invalid() -> io::Error {
    io::Error::from(io::ErrorKind::InvalidData)
}
