//! Compression of answers.

use std::io::{self, Write as _};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::{StreamExt as _, stream};

use crate::response::prepend;
use crate::{ClientRequest, GatewayResponse, ResponseBody};

/// Bytes that are compressed at once, so that a large answer does not hold a thread for long.
const PIECE: usize = 64 << 10;
/// The size of a body in one piece from which compression saves a packet.
const WORTHWHILE: usize = 1_400;

/// Compresses an answer with gzip if the client takes it. Event streams, small bodies and bodies with an encoding of the
/// upstream stay as they are.
pub(crate) async fn pack(takes_gzip: bool, mut answer: GatewayResponse) -> GatewayResponse {
    let has_encoding = answer.headers.iter().any(|(name, _)| name == "content-encoding");
    if has_encoding || answer.content_type.starts_with("text/event-stream") || answer.status == 204 {
        return answer;
    }
    answer.headers.push(("vary".to_owned(), "accept-encoding".to_owned()));
    if !takes_gzip {
        return answer;
    }
    let first = answer.body.next().await;
    let is_worthwhile = matches!(&first, Some(Ok(bytes)) if bytes.len() >= WORTHWHILE);
    let mut answer = prepend(first.into_iter().collect(), answer);
    if !is_worthwhile {
        return answer;
    }
    let body = std::mem::replace(&mut answer.body, Box::pin(stream::empty()));
    answer.headers.push(("content-encoding".to_owned(), "gzip".to_owned()));
    let encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let packing = Packing { body, waiting: Bytes::new(), encoder: Some(encoder) };
    answer.body = Box::pin(stream::unfold(packing, |mut packing| async move {
        let bytes = packing.next().await?;
        Some((bytes, packing))
    }));
    answer
}

/// Returns true if the header `accept-encoding` names gzip without the quality 0.
pub(crate) fn takes_gzip(request: &ClientRequest) -> bool {
    let values = request.headers.iter().filter(|(name, _)| name == "accept-encoding");
    values.flat_map(|(_, value)| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let is_refused = parts.any(|part| {
            part.strip_prefix("q=").and_then(|quality| quality.parse::<f32>().ok()).is_some_and(|q| q <= 0.0)
        });
        (name.eq_ignore_ascii_case("gzip") || name == "*") && !is_refused
    })
}

struct Packing {
    body: ResponseBody,
    /// The rest of a large piece.
    waiting: Bytes,
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl Packing {
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            let encoder = self.encoder.as_mut()?;
            if self.waiting.is_empty() {
                match self.body.next().await {
                    Some(Ok(bytes)) => self.waiting = bytes,
                    Some(Err(error)) => {
                        self.encoder = None;
                        return Some(Err(error));
                    }
                    None => return Some(self.encoder.take()?.finish().map(Bytes::from)),
                }
            }
            let piece = self.waiting.split_to(self.waiting.len().min(PIECE));
            // Each piece is flushed, because an answer without a length can be a stream of elements.
            let written = encoder.write_all(&piece).and_then(|()| encoder.flush());
            if let Err(error) = written {
                self.encoder = None;
                return Some(Err(error));
            }
            let bytes = std::mem::take(encoder.get_mut());
            if !bytes.is_empty() {
                return Some(Ok(bytes.into()));
            }
        }
    }
}
