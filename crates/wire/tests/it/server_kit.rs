//! The kit of servers: it accepts a correct server, and rejects a wrong one for each rule.

use serde::{Deserialize, Serialize};
use windlass_protocol::{Delivery, Message, Request, StopReason};
use windlass_stream::Chunk;
use windlass_wire::kit::{ServerRule, check_server};
use windlass_wire::{
    DecodeError, DecodedRequest, Decoder, EncodeError, Encoder, Framing, HttpRequest, Outline, ProviderError,
    ProviderErrorKind, RequestError, ResponseHead, Server, Wire, WireLimits,
};

const PATH: &str = "/ask";

/// A format whose answer is one chunk as JSON per line, or a list of chunks, with one defect of the server.
#[derive(Clone, Copy)]
struct Lines {
    defect: Option<ServerRule>,
}

#[derive(Serialize, Deserialize)]
struct Body {
    model: String,
    stream: bool,
    texts: Vec<String>,
}

impl Lines {
    fn is(self, rule: ServerRule) -> bool {
        self.defect == Some(rule)
    }
}

impl Wire for Lines {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn encode(&self, request: &Request) -> Result<HttpRequest, EncodeError> {
        let body = Body {
            model: request.model.clone(),
            stream: request.delivery == Delivery::Stream,
            texts: request.messages.iter().map(Message::text).collect(),
        };
        Ok(HttpRequest::post(PATH, serde_json::to_vec(&body)?))
    }

    fn decoder(&self, _: WireLimits) -> Box<dyn Decoder> {
        Box::new(LineDecoder(Vec::new()))
    }

    fn decode_whole(&self, body: &[u8], _: WireLimits, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        let list: Vec<Chunk> =
            serde_json::from_slice(body).map_err(|source| DecodeError::Json { event: 1, source })?;
        chunks.extend(list);
        Ok(())
    }

    fn decode_error(&self, status: u16, body: &[u8]) -> ProviderError {
        let words = String::from_utf8_lossy(body);
        let (kind, message) = words.split_once(' ').unwrap_or(("", &words));
        let kind = match kind {
            "ContextLength" => ProviderErrorKind::ContextLength,
            "Quota" => ProviderErrorKind::Quota,
            _ => ProviderError::kind_of(status),
        };
        ProviderError::new(kind, None, message)
    }
}

struct LineDecoder(Vec<u8>);

impl Decoder for LineDecoder {
    fn push(&mut self, bytes: &[u8], chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        for byte in bytes {
            if *byte != b'\n' {
                self.0.push(*byte);
                continue;
            }
            let line = std::mem::take(&mut self.0);
            chunks.push(
                serde_json::from_slice(&line).map_err(|source| DecodeError::Json { event: 1, source })?,
            );
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        if self.0.is_empty() { Ok(()) } else { Err(DecodeError::from_foreign_body("lines", &self.0)) }
    }
}

impl Server for Lines {
    fn name(&self) -> &'static str {
        if self.is(ServerRule::HasOneName) { "rows" } else { "lines" }
    }

    fn request_path(&self) -> &'static str {
        PATH
    }

    fn serves(&self, path: &str) -> bool {
        match self.defect {
            Some(ServerRule::DecodesRequests) => false,
            Some(ServerRule::RefusesForeignBodies) => true,
            _ => path == PATH,
        }
    }

    fn outline(&self, path: &str, body: &[u8]) -> Result<Outline, RequestError> {
        if self.is(ServerRule::NeverPanics) {
            std::str::from_utf8(body).unwrap();
        }
        let decoded = self.decode_request(path, body)?;
        let model = if self.is(ServerRule::OutlinesRequests) { "other" } else { &decoded.request.model };
        Ok(Outline::new(model, decoded.framing))
    }

    fn decode_request(&self, _: &str, body: &[u8]) -> Result<DecodedRequest, RequestError> {
        if !body.starts_with(b"{") {
            return Err(RequestError::shape("", "expected an object"));
        }
        let Body { model, stream, mut texts } = serde_json::from_slice(body)?;
        if self.is(ServerRule::KeepsRequests) {
            texts.pop();
        }
        let messages: Vec<_> = texts.into_iter().map(Message::user).collect();
        let framing = if stream { Framing::Events } else { Framing::Whole };
        Ok(DecodedRequest::new(Request::new(model, messages), framing))
    }

    fn encoder(&self, asked: &DecodedRequest, _: ResponseHead) -> Box<dyn Encoder> {
        Box::new(LineEncoder { server: *self, framing: asked.framing, chunks: Vec::new() })
    }

    fn encode_error(&self, error: &ProviderError) -> (u16, Vec<u8>) {
        let status = if self.is(ServerRule::KeepsErrors) { 500 } else { error.status.unwrap_or(400) };
        (status, format!("{:?} {}", error.kind, error.message).into_bytes())
    }
}

struct LineEncoder {
    server: Lines,
    framing: Framing,
    chunks: Vec<Chunk>,
}

impl LineEncoder {
    fn write(&mut self, chunk: &Chunk, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.chunks.push(chunk.clone());
        if self.framing != Framing::Whole {
            serde_json::to_writer(&mut *bytes, chunk)?;
            bytes.push(b'\n');
        }
        Ok(())
    }
}

impl Encoder for LineEncoder {
    fn content_type(&self) -> &'static str {
        if self.server.is(ServerRule::WritesAnswers) { "" } else { "application/x-lines" }
    }

    fn push(&mut self, chunk: &Chunk, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        let is_lost = match chunk {
            Chunk::Usage { .. } => self.server.is(ServerRule::KeepsAnswers),
            Chunk::Error { .. } => self.server.is(ServerRule::KeepsFailures),
            _ => false,
        };
        if is_lost { Ok(()) } else { self.write(chunk, bytes) }
    }

    fn finish(&mut self, bytes: &mut Vec<u8>) -> Result<(), EncodeError> {
        let has_finish = self.chunks.iter().any(|chunk| matches!(chunk, Chunk::Finish { .. }));
        if !has_finish && self.server.is(ServerRule::NoticesCuts) {
            let finish = Chunk::Finish { reason: StopReason::End, raw: "end".to_owned() };
            self.write(&finish, bytes)?;
        }
        if self.framing == Framing::Whole {
            serde_json::to_writer(bytes, &self.chunks)?;
        }
        Ok(())
    }
}

fn check(defect: Option<ServerRule>) -> Option<ServerRule> {
    let request = Request::new("lines-1", vec![Message::user("Hello?"), Message::user("Hello!")]);
    let server = Lines { defect };
    check_server(&server, &server, &request).err().map(|violation| violation.rule)
}

#[test]
fn a_correct_server_passes() {
    assert_eq!(check(None), None);
}

#[test]
fn each_rule_rejects_a_server_with_that_defect() {
    for rule in ServerRule::ALL {
        assert_eq!(check(Some(*rule)), Some(*rule), "{rule}");
    }
}
