//! Prints a recorded stream at every stage: bytes, events, chunks, calls, a decision, a result, the next
//! request. Runs without a network.
//!
//! `cargo run -p windlass --example walk`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use std::sync::Arc;

use windlass::parse::assemble::{AssembleOptions, Assembler, CallEvent};
use windlass::policy::{ApprovalHistory, Grants, Policy, decide};
use windlass::protocol::{Message, Request, ToolCall};
use windlass::providers::anthropic::Anthropic;
use windlass::providers::wire::{Wire, WireLimits};
use windlass::sandbox::Workspace;
use windlass::stream::Chunk;
use windlass::tool::Context;
use windlass::toolbox::{Preset, ToolConfig, Toolbox};

/// The stream of a provider, in its public format, for a model that reads a file.
const RECORDED: &str = r#"event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":24,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I look."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"read_file","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"hel"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"lo.txt\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":17}}

event: message_stop
data: {"type":"message_stop"}

"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let workspace = Arc::new(Workspace::open(folder.path())?);
    let path = workspace.resolve("hello.txt")?;
    workspace.write(&path, b"hello, windlass\n", windlass::sandbox::ExpectedState::Absent)?;

    println!("1. {} bytes", RECORDED.len());
    show_events()?;
    let wire = Anthropic::default();
    let chunks = chunks(&wire)?;
    let (asked, calls) = calls(chunks);
    let call = calls.first().ok_or("the recording has a call")?;

    let toolbox = Toolbox::builder()
        .tools(windlass::tools::fs::tools(&workspace))
        .config(ToolConfig::new(Preset::Full))
        .build()?;
    let checked = toolbox.check(call).map_err(|result| result.wire_text())?;
    let decision =
        decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &checked.facts);
    println!(
        "5. decision: {} by rule {} ({})",
        decision.verdict, decision.reason.rule_id, decision.reason.text
    );

    let result = toolbox.run(&checked, &Context::new(call.id.clone())).await?;
    println!("6. result: {:?}\n{}", result.status, result.wire_text());

    let messages = vec![Message::user("What is in hello.txt?"), asked, Message::results([result])];
    let http = wire.encode(&Request::new("m", messages))?;
    println!("7. the next request: POST {}\n{}", http.path, String::from_utf8_lossy(&http.body));
    Ok(())
}

fn show_events() -> Result<(), windlass::parse::sse::Error> {
    let mut parser = windlass::parse::sse::Parser::new();
    let mut count = 0_usize;
    // The events do not depend on how the bytes are split.
    for piece in RECORDED.as_bytes().chunks(100) {
        parser.push(piece, |_event| count = count.saturating_add(1))?;
    }
    println!("2. {count} server-sent events");
    Ok(())
}

fn chunks(wire: &Anthropic) -> Result<Vec<Chunk>, windlass::providers::wire::DecodeError> {
    let mut decoder = wire.decoder(WireLimits::default());
    let mut chunks = Vec::new();
    for piece in RECORDED.as_bytes().chunks(100) {
        decoder.push(piece, &mut chunks)?;
    }
    decoder.finish(&mut chunks)?;
    println!("3. chunks:");
    for chunk in &chunks {
        println!("   {chunk:?}");
    }
    Ok(chunks)
}

fn calls(chunks: Vec<Chunk>) -> (Message, Vec<ToolCall>) {
    let mut assembler = Assembler::new(AssembleOptions::default());
    let mut events = Vec::new();
    println!("4. calls:");
    for chunk in chunks {
        assembler.push(chunk, &mut events);
        for event in events.drain(..) {
            if let CallEvent::Arguments { key, .. } = &event {
                let partial =
                    assembler.partial(*key).and_then(windlass::parse::partial_json::Snapshot::to_value);
                println!("   arguments so far: {}", partial.unwrap_or_default());
            } else {
                println!("   {event:?}");
            }
        }
    }
    let answer = assembler.finish(&mut events);
    let calls = answer.good_calls().cloned().collect();
    (Message::assistant(answer.parts), calls)
}
