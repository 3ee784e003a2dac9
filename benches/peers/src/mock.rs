//! A provider on loopback with Chat Completions and Anthropic Messages. The model's name selects the answer.
//! The server runs in its own process, so the measured process does not pay for it, and it stores nothing.
//!
//! * `loop-TURNS-BYTES`: this many answers with a call of `write_file` with this many bytes of arguments,
//!   then text.
//! * `paced-TURNS-BYTES-MILLISECONDS`: the same, with a pause after each delta.
//! * `three-MILLISECONDS`: three calls of `read_file` in one answer, with this pause after each delta, then
//!   text.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use windlass_testkit::split::{self, Cut};
use windlass_testkit::workload;

/// The server process, which is killed when this value is dropped.
pub struct Mock {
    child: Child,
    /// The base URL without a path.
    pub base: String,
}

impl Mock {
    /// Starts this program again as the server.
    ///
    /// # Errors
    /// The server cannot be started.
    pub fn start() -> Result<Self, String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(own);
        command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let mut address = String::new();
        let out = child.stdout.take().ok_or("the server has no output")?;
        BufReader::new(out).read_line(&mut address).map_err(|error| error.to_string())?;
        Ok(Self { child, base: format!("http://{}", address.trim()) })
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        // The process would also end with its stdin, but later.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Prints the address and serves until stdin ends.
///
/// # Errors
/// The port cannot be bound.
pub fn serve() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::Builder::new().stack_size(256 * 1024).spawn(move || drop(answer(&stream))).ok();
        }
    });
    std::io::stdin().read_to_end(&mut Vec::new()).map(drop)
}

/// Answers the requests of one connection sequentially.
fn answer(stream: &TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    let mut rendered: Option<(String, Vec<Vec<u8>>)> = None;
    loop {
        let Some((path, body)) = request(&mut reader)? else { return Ok(()) };
        let is_anthropic = path.contains("/messages");
        let model = find_between(&body, b"\"model\":\"", b'"');
        let turn = memchr::memmem::find_iter(&body, b"\"role\":\"assistant\"").count();
        let parts: Vec<usize> = model.split('-').filter_map(|part| part.parse().ok()).collect();
        let mut pause = Duration::ZERO;
        let frames = match (model.split('-').next().unwrap_or_default(), parts.as_slice()) {
            ("loop", [turns, bytes]) if turn < *turns => {
                // The content is the same in each turn; only the first delta differs.
                if rendered.as_ref().is_none_or(|(known, _)| *known != model) {
                    rendered = Some((model.clone(), rest_of_call(*bytes)));
                }
                let rest = rendered.as_ref().map(|(_, rest)| rest.clone()).unwrap_or_default();
                let begin = format!("{{\"path\":\"src/file_{turn:06}.rs\",");
                let mut frames = vec![start(0, &format!("call_{turn:06}"), "write_file"), delta(0, &begin)];
                frames.extend(rest);
                frames
            }
            ("paced", [turns, bytes, milliseconds]) if turn < *turns => {
                pause = Duration::from_millis(*milliseconds as u64);
                let begin = format!("{{\"path\":\"src/file_{turn:06}.rs\",");
                let mut frames = vec![start(0, &format!("call_{turn:06}"), "write_file"), delta(0, &begin)];
                frames.extend(rest_of_call(*bytes));
                frames
            }
            ("three", [milliseconds]) if turn == 0 => {
                pause = Duration::from_millis(*milliseconds as u64);
                if is_anthropic { three_blocks() } else { three_calls() }
            }
            _ if is_anthropic => last_block(),
            _ => words(),
        };
        writer.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        )?;
        send(&mut writer, &frames, pause)?;
        writer.write_all(b"0\r\n\r\n")?;
    }
}

/// Sends events as HTTP chunks: one chunk per event if the answer is paced, otherwise chunks of network size.
fn send(writer: &mut impl Write, frames: &[Vec<u8>], pause: Duration) -> std::io::Result<()> {
    if !pause.is_zero() {
        for frame in frames {
            writer.write_all(&[format!("{:x}\r\n", frame.len()).as_bytes(), frame, b"\r\n"].concat())?;
            std::thread::sleep(pause);
        }
        return Ok(());
    }
    let mut bytes = Vec::new();
    for piece in frames.concat().chunks(1_400) {
        bytes.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        bytes.extend_from_slice(piece);
        bytes.extend_from_slice(b"\r\n");
    }
    writer.write_all(&bytes)
}

/// Reads the request line and the body of the next request, or returns `None` at the end of the connection.
fn request(reader: &mut impl BufRead) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let (mut length, mut line, mut is_chunked) = (0, String::new(), false);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let lower = line.trim().to_ascii_lowercase();
        if lower.is_empty() {
            break;
        }
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        is_chunked |= lower.starts_with("transfer-encoding:");
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    while is_chunked {
        line.clear();
        reader.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        let before = body.len();
        body.resize(before + size + 2, 0);
        reader.read_exact(&mut body[before..])?;
        body.truncate(before + size);
        is_chunked = size > 0;
    }
    Ok(Some((first, body)))
}

fn find_between(body: &[u8], start: &[u8], end: u8) -> String {
    let rest = memchr::memmem::find(body, start).map_or(&[][..], |at| &body[at + start.len()..]);
    let length = rest.iter().position(|byte| *byte == end).unwrap_or(0);
    String::from_utf8_lossy(&rest[..length]).into_owned()
}

fn rest_of_call(bytes: usize) -> Vec<Vec<u8>> {
    let content: Value = serde_json::from_str(&workload::w1(bytes)).unwrap_or_default();
    let text = json!({ "content": content["content"] }).to_string();
    let text: &'static str = Box::leak(text.into_boxed_str());
    let mut frames: Vec<Vec<u8>> =
        split::deltas(&text[1..], Cut::Sixteen, 1).into_iter().map(|piece| delta(0, piece)).collect();
    frames.extend(end("tool_calls"));
    frames
}

/// Three calls in deltas of four characters, about the size of a token.
fn three_calls() -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    for index in 0..3 {
        frames.push(start(index, &format!("call_{index}"), "read_file"));
        frames.extend(tokens(index).into_iter().map(|piece| delta(index, piece)));
    }
    frames.extend(end("tool_calls"));
    frames
}

/// The arguments of a `read_file` call, split into deltas of token size.
fn tokens(index: usize) -> Vec<&'static str> {
    let why = "to see how it is done there and where the names come from ".repeat(2);
    let text = format!(r#"{{"path":"crates/somewhere/src/deep/inside/file_{index}.rs","why":"{why}"}}"#);
    split::deltas(Box::leak(text.into_boxed_str()), Cut::Four, 1)
}

/// The three calls in Anthropic's format, in which each call has its own end event.
fn three_blocks() -> Vec<Vec<u8>> {
    let mut events = vec![message_start()];
    for index in 0..3 {
        let id = format!("toolu_{index}");
        let block = json!({ "type": "tool_use", "id": id, "name": "read_file", "input": {} });
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        events.extend(tokens(index).into_iter().map(|piece| {
            let delta = json!({ "type": "input_json_delta", "partial_json": piece });
            json!({ "type": "content_block_delta", "index": index, "delta": delta })
        }));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    events.extend(message_end("tool_use"));
    anthropic(&events)
}

fn last_block() -> Vec<Vec<u8>> {
    let block = json!({ "type": "text", "text": "" });
    let delta = json!({ "type": "text_delta", "text": "All is done." });
    let mut events = vec![
        message_start(),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
    ];
    events.extend(message_end("end_turn"));
    anthropic(&events)
}

fn message_start() -> Value {
    let usage = json!({ "input_tokens": 100, "output_tokens": 1 });
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    json!({ "type": "message_start", "message": message })
}

fn message_end(reason: &str) -> [Value; 2] {
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    [
        json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": 20 } }),
        json!({ "type": "message_stop" }),
    ]
}

fn anthropic(events: &[Value]) -> Vec<Vec<u8>> {
    let event =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    events.iter().map(|it| event(it).into_bytes()).collect()
}

fn words() -> Vec<Vec<u8>> {
    let mut frames = vec![event(&json!({ "role": "assistant", "content": "All is done." }), None)];
    frames.extend(end("stop"));
    frames
}

fn start(index: usize, id: &str, name: &str) -> Vec<u8> {
    let function = json!({ "name": name, "arguments": "" });
    let call = json!({ "index": index, "id": id, "type": "function", "function": function });
    event(&json!({ "role": "assistant", "content": null, "tool_calls": [call] }), None)
}

fn delta(index: usize, piece: &str) -> Vec<u8> {
    event(&json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }), None)
}

fn end(reason: &str) -> [Vec<u8>; 3] {
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 });
    [event(&json!({}), Some(reason)), chunk(&json!([]), &usage), b"data: [DONE]\n\n".to_vec()]
}

fn event(delta: &Value, reason: Option<&str>) -> Vec<u8> {
    let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": reason });
    chunk(&json!([choice]), &Value::Null)
}

/// Renders a chunk of about the size of OpenAI's chunks.
fn chunk(choices: &Value, usage: &Value) -> Vec<u8> {
    let chunk = json!({
        "id": "chatcmpl-BxYzQkLmNoPqRsTuVwXyZaBcDeFgH",
        "object": "chat.completion.chunk",
        "created": 1_750_000_000,
        "model": "gpt-5-mini-2025-08-07",
        "service_tier": "default",
        "system_fingerprint": "fp_0123456789",
        "choices": choices,
        "usage": usage,
        "obfuscation": "aBcDeFgHiJkL",
    });
    format!("data: {chunk}\n\n").into_bytes()
}
