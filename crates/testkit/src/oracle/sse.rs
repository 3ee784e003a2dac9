//! Properties of `windlass-sse`.

use std::fmt::Write;

use windlass_sse::{Ending, Error, Parser, Signal, SseLimits};

use crate::split;

/// The results of parsing a stream.
#[derive(Debug, PartialEq)]
struct ParsedStream {
    log: String,
    ending: Ending,
    id: String,
    retry: Option<u64>,
    error: Option<Error>,
}

/// The events do not depend on how the stream is split, and equal those of a naive implementation of the
/// specification. LF and CRLF give the same events. Small limits fail at the same place.
///
/// # Panics
/// A property is violated.
pub fn sse(bytes: &[u8]) {
    let whole = read(&[bytes], SseLimits::default());
    let reference = plain_reading(bytes);
    assert_eq!(whole.log, reference, "events differ from a plain reading of the format");
    if !bytes.contains(&b'\r') {
        let crlf = String::from_utf8_lossy(bytes).replace('\n', "\r\n");
        assert_eq!(read(&[crlf.as_bytes()], SseLimits::default()).log, whole.log, "CRLF differs from LF");
    }
    let tight = SseLimits::default().with_line_bytes(24).with_event_bytes(30);
    let whole_tight = read(&[bytes], tight);
    for parts in split::ways(bytes) {
        assert_eq!(read(&parts, SseLimits::default()), whole, "split {parts:?}");
        assert_eq!(read(&parts, tight), whole_tight, "split under tight limits {parts:?}");
    }
}

fn read(parts: &[&[u8]], limits: SseLimits) -> ParsedStream {
    let mut parser = Parser::with_limits(limits);
    let mut log = String::new();
    let mut error = None;
    for part in parts {
        let pushed = parser.push_signals(part, |signal| note(&mut log, signal));
        error = error.or(pushed.err());
    }
    let ending = parser.finish();
    ParsedStream { log, ending, id: parser.last_event_id().to_owned(), retry: parser.retry(), error }
}

fn note(log: &mut String, signal: Signal<'_>) {
    let _ = match signal {
        Signal::Event(event) => writeln!(log, "event {:?} {:?} {:?}", event.event, event.data, event.id),
        Signal::Comment(text) => writeln!(log, "comment {text:?}"),
        Signal::Retry(wait) => writeln!(log, "retry {wait}"),
        other => writeln!(log, "{other:?}"),
    };
}

/// A naive implementation that follows the specification: decode everything, split into lines, process each
/// line.
fn plain_reading(bytes: &[u8]) -> String {
    let decoded = String::from_utf8_lossy(bytes);
    let text = decoded.strip_prefix('\u{FEFF}').unwrap_or(&decoded).replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<&str> = text.split('\n').collect();
    lines.pop();
    let (mut event, mut data, mut id, mut log) = (String::new(), String::new(), String::new(), String::new());
    for line in lines {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let stripped = value.strip_prefix(' ').unwrap_or(value);
        match name {
            _ if line.is_empty() => {
                if let Some(data) = data.strip_suffix('\n') {
                    let event = if event.is_empty() { "message" } else { &event };
                    let _ = writeln!(log, "event {event:?} {data:?} {id:?}");
                }
                event.clear();
                data.clear();
            }
            "" => {
                let _ = writeln!(log, "comment {value:?}");
            }
            "event" => stripped.clone_into(&mut event),
            "data" => {
                data.push_str(stripped);
                data.push('\n');
            }
            "id" if !stripped.contains('\0') => stripped.clone_into(&mut id),
            "retry" if stripped.bytes().all(|byte| byte.is_ascii_digit()) => {
                if let Ok(wait) = stripped.parse::<u64>() {
                    let _ = writeln!(log, "retry {wait}");
                }
            }
            _ => {}
        }
    }
    log
}
