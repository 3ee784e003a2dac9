//! Cases about a provider's stream: endless lines, pings without content, deeply nested arguments.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use windlass_agent::{Agent, Outcome};
use windlass_client::{Client, Endpoint, Options};
use windlass_wire_openai_chat::{OpenAiChat, OpenAiChatOptions};

use crate::case::Stage;
use crate::catalogue::Word;
use crate::engine::Engine;
use crate::observed::Observation;
use crate::session::Session;

/// The client's idle timeout, instead of the default of minutes.
const IDLE: Duration = Duration::from_secs(5);
const BLOCK: usize = 1 << 20;
const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// The data that the server sends after its head.
#[derive(Clone, Copy)]
enum Sends {
    /// This number of bytes in one line.
    Line { bytes: u64, is_ended: bool },
    /// Comments without end.
    Pings,
}

pub(super) async fn provider(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let members = super::members(stage, &["sse_line_bytes", "newline", "pings_only"])?;
    let sends = if let Some(bytes) = members.get("sse_line_bytes") {
        let bytes = bytes.as_u64().context("`sse_line_bytes` is a number")?;
        let is_ended = members.get("newline").and_then(serde_json::Value::as_bool).unwrap_or(true);
        Sends::Line { bytes, is_ended }
    } else {
        Sends::Pings
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let url = format!("http://{}/v1", listener.local_addr()?);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream, sends));
        }
    });
    let options = Options { retries: 0, idle_timeout: IDLE, ..Options::default() };
    let client = Client::builder(
        Endpoint::custom(url, "openai-chat"),
        Arc::new(OpenAiChat::new(OpenAiChatOptions::default())),
    );
    let agent = Agent::builder().model(client.options(options).build()?, "scripted").build()?;
    let began = Instant::now();
    let report = agent.run("Do it.").await;
    let (words, detail) = match report.map(|report| report.outcome) {
        Ok(Outcome::Completed { text }) => (vec![Word::Allow], text),
        Ok(other) => (vec![Word::Error], format!("{other:?}")),
        Err(error) => (vec![Word::Error], error.to_string()),
    };
    Ok(Observation::new(words, detail).with_value("wall_s", began.elapsed().as_secs_f64()))
}

fn serve(mut stream: TcpStream, sends: Sends) -> Option<()> {
    let mut request = [0_u8; 4096];
    let _ = stream.read(&mut request).ok()?;
    stream.write_all(HEAD).ok()?;
    match sends {
        Sends::Line { bytes, is_ended } => {
            let block = vec![b'a'; BLOCK];
            stream.write_all(b"data: ").ok()?;
            let mut left = usize::try_from(bytes).ok()?;
            while left > 0 {
                let piece = block.get(..left.min(BLOCK))?;
                stream.write_all(piece).ok()?;
                left = left.checked_sub(piece.len())?;
            }
            stream.write_all(if is_ended { b"\n\n" } else { b"" }).ok()
        }
        Sends::Pings => loop {
            stream.write_all(b": ping\n\n").ok()?;
            std::thread::sleep(Duration::from_millis(200));
        },
    }
}

/// Runs a call with deeply nested arguments.
pub(super) async fn arguments(stage: &Stage<'_>) -> anyhow::Result<Observation> {
    let members = super::members(stage, &["json_depth"])?;
    let depth = members.get("json_depth").and_then(serde_json::Value::as_u64);
    let depth = usize::try_from(depth.context("`json_depth` is a number")?)?;
    let nested = format!("{{\"command\":{}1{}}}", "[".repeat(depth), "]".repeat(depth));
    let engine = Engine::new(stage.scene, stage.setup)?;
    let ran = Session::for_call(engine, "run_command", &nested, stage.setup.answers).run().await?;
    Ok(ran.observe(stage.setup.answers))
}
