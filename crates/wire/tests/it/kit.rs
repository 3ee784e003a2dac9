//! The conformance kit: it accepts a correct format, and rejects a wrong one for each rule.

use std::sync::atomic::{AtomicU64, Ordering};

use windlass_protocol::{Message, Refusal, RefusalKind, Request, StopReason};
use windlass_stream::Chunk;
use windlass_wire::kit::{WireExamples, WireRule, check_wire};
use windlass_wire::{
    DecodeError, Decoder, EncodeError, HttpRequest, ProviderError, ProviderErrorKind, RequestBody, Wire,
    WireLimits,
};

const STREAM: &[u8] = "\"Hello, \"\n\"wörld.\"\nnull\n".as_bytes();
const WHOLE: &[u8] = "\"Hello, wörld.\"\nnull\n".as_bytes();

/// A format whose answer is a JSON string per line, and `null` at the end, with one defect.
struct Lines {
    defect: Option<WireRule>,
    encoded: AtomicU64,
}

impl Lines {
    fn new(defect: Option<WireRule>) -> Self {
        Self { defect, encoded: AtomicU64::new(0) }
    }

    fn is(&self, rule: WireRule) -> bool {
        self.defect == Some(rule)
    }
}

impl Wire for Lines {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn encode(&self, request: &Request) -> Result<HttpRequest, EncodeError> {
        let number = self.encoded.fetch_add(1, Ordering::Relaxed);
        let texts: Vec<String> = request.messages.iter().map(Message::text).collect();
        let body = match self.defect {
            Some(WireRule::RepeatsBodies) => {
                format!("{{\"number\":{number},\"messages\":{}}}", serde_json::to_string(&texts)?)
            }
            Some(WireRule::ExtendsBodies) => {
                format!("{{\"count\":{},\"messages\":{}}}", texts.len(), serde_json::to_string(&texts)?)
            }
            _ => format!("{{\"messages\":{}}}", serde_json::to_string(&texts)?),
        };
        Ok(HttpRequest::post("/ask", body))
    }

    fn encode_onto(&self, request: &Request, body: RequestBody<'_>) -> Result<HttpRequest, EncodeError> {
        let mut http = self.encode(request)?;
        if self.is(WireRule::KeepsHistories) {
            http.body = "{}".into();
        }
        http.body = body.whole(http.body);
        Ok(http)
    }

    fn check(&self, _: &Request) -> Vec<Refusal> {
        let refusal = Refusal::new(RefusalKind::Unsupported, "", "not today");
        if self.is(WireRule::AcceptsTheRequest) { vec![refusal] } else { Vec::new() }
    }

    fn decoder(&self, limits: WireLimits) -> Box<dyn Decoder> {
        Box::new(LineDecoder { defect: self.defect, limits, line: Vec::new(), has_lines: false })
    }

    fn decode_whole(
        &self,
        body: &[u8],
        limits: WireLimits,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), DecodeError> {
        if body.len() > limits.body_bytes {
            return Err(DecodeError::Limit { what: "bytes of a whole body", limit: limits.body_bytes });
        }
        if self.is(WireRule::AgreesWithTheWhole) && body == WHOLE {
            chunks.push(Chunk::text("Hello."));
            return Ok(());
        }
        let mut decoder = self.decoder(WireLimits::default());
        decoder.push(body, chunks)?;
        decoder.finish(chunks)
    }

    fn decode_error(&self, status: u16, body: &[u8]) -> ProviderError {
        if self.is(WireRule::ExplainsErrors) {
            return ProviderError::new(ProviderErrorKind::Server, None, "it failed");
        }
        ProviderError::not_provider(status, body)
    }
}

struct LineDecoder {
    defect: Option<WireRule>,
    limits: WireLimits,
    line: Vec<u8>,
    has_lines: bool,
}

impl LineDecoder {
    fn read_line(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        let line = std::mem::take(&mut self.line);
        if self.defect == Some(WireRule::NeverPanics) {
            String::from_utf8(line.clone()).unwrap();
        }
        let text: Option<String> =
            serde_json::from_slice(&line).map_err(|source| DecodeError::Json { event: 1, source })?;
        self.has_lines = true;
        match text {
            Some(text) => chunks.push(Chunk::text(text)),
            None if self.defect == Some(WireRule::DecodesTheStream) => {}
            None => chunks.push(finish()),
        }
        Ok(())
    }
}

fn finish() -> Chunk {
    Chunk::Finish { reason: StopReason::End, raw: "null".to_owned() }
}

impl Decoder for LineDecoder {
    fn push(&mut self, bytes: &[u8], chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        for byte in bytes {
            match byte {
                b'\n' => self.read_line(chunks)?,
                byte => self.line.push(*byte),
            }
            let limit = self.limits.event_bytes;
            if self.line.len() > limit && self.defect != Some(WireRule::KeepsLimits) {
                return Err(DecodeError::Limit { what: "bytes of one event", limit });
            }
        }
        if self.defect == Some(WireRule::IgnoresSplits) && !self.line.is_empty() {
            chunks.push(Chunk::text(""));
        }
        Ok(())
    }

    fn finish(&mut self, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
        if !self.has_lines && self.defect != Some(WireRule::RefusesForeignBodies) {
            return Err(DecodeError::from_foreign_body("lines", &self.line));
        }
        if self.defect == Some(WireRule::NoticesCuts) && !chunks.contains(&finish()) {
            chunks.push(finish());
        }
        Ok(())
    }
}

fn check(defect: Option<WireRule>) -> Option<WireRule> {
    let request = Request::new("lines-1", vec![Message::user("Hello?")]);
    let examples = WireExamples::new(&request, STREAM).with_whole(WHOLE);
    check_wire(&Lines::new(defect), &examples).err().map(|violation| violation.rule)
}

#[test]
fn a_correct_format_passes() {
    assert_eq!(check(None), None);
}

#[test]
fn each_rule_rejects_a_format_with_that_defect() {
    for rule in WireRule::ALL {
        assert_eq!(check(Some(*rule)), Some(*rule), "{rule}");
    }
}
