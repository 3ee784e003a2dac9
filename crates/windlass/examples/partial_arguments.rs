//! Draws a `write_file` call while the model writes it: the path, then the content line by line, each line
//! with the number of bytes received and of bytes touched for drawing. Runs without a network, also in a
//! pipe.
//!
//! `cargo run -p windlass --example partial_arguments`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use std::io::Write as _;

use windlass::parse::assemble::{AssembleOptions, Assembler, CallEvent};
use windlass::parse::partial_json::Snapshot;
use windlass::providers::anthropic::Anthropic;
use windlass::providers::wire::{Wire, WireLimits};
use windlass::stream::Chunk;
use windlass::tool::{ToolArgs, TypedPartial};

/// The arguments of the tool. The derive also generates the struct `PartialWriteFile`, whose fields are
/// filled while the arguments arrive.
#[derive(Debug, ToolArgs)]
struct WriteFile {
    /// The file, relative to the workspace.
    path: std::path::PathBuf,
    /// Its whole content.
    content: String,
}

/// A display that draws new content and counts its work.
#[derive(Default)]
struct Screen {
    typed: TypedPartial<WriteFile>,
    /// The number of bytes of the content that have been drawn.
    drawn: usize,
    column: usize,
    has_path: bool,
    frames: usize,
    pushed: usize,
    touched: usize,
    /// The number of bytes that a parser would have touched that starts from the beginning at each frame.
    again: usize,
}

impl Screen {
    /// Draws one frame: the part of the snapshot that is new since the last frame.
    fn draw(&mut self, delta: &str, snapshot: Snapshot<'_>) {
        let partial = self.typed.update(snapshot);
        let new = partial.content.as_str().get(self.drawn..).unwrap_or_default().to_owned();
        let path = partial.path.complete().filter(|_| !self.has_path).cloned();
        self.drawn = self.drawn.saturating_add(new.len());
        self.frames = self.frames.saturating_add(1);
        self.pushed = self.pushed.saturating_add(delta.len());
        // The text is read once by the parser, appended once to the field, and drawn once.
        let drawing = new.len().saturating_add(new.len());
        self.touched = self.touched.saturating_add(delta.len()).saturating_add(drawing);
        self.again = self.again.saturating_add(self.pushed);
        if let Some(path) = path {
            self.has_path = true;
            println!("┌ write_file {}", path.display());
        }
        for piece in new.split_inclusive('\n') {
            self.draw_piece(piece);
        }
    }

    fn draw_piece(&mut self, piece: &str) {
        if self.column == 0 {
            print!("│ ");
        }
        let line = piece.trim_end_matches('\n');
        print!("{line}");
        self.column = self.column.saturating_add(line.chars().count()).max(1);
        if line.len() < piece.len() {
            let gap = " ".repeat(50_usize.saturating_sub(self.column));
            println!("{gap} {:>5} bytes came, {:>5} touched", self.pushed, self.touched);
            self.column = 0;
        }
        // A terminal shows an unfinished line only after a flush.
        drop(std::io::stdout().flush());
    }
}

/// Returns the events of a provider in its public format while a model writes this call, with a few
/// characters of the arguments per event.
fn recorded() -> String {
    let mut content = String::new();
    for number in 0..12 {
        let line =
            format!("/// The \"{number}\" of the list, né {number}.\npub const N{number}: u32 = {number};\n");
        content.push_str(&line);
    }
    let content = serde_json::Value::from(content);
    let arguments = format!("{{\"path\": \"src/numbers.rs\", \"content\": {content}}}");
    let mut stream = String::new();
    let mut event = |kind: &str, data: &str| {
        let event = format!("event: {kind}\ndata: {{\"type\":\"{kind}\",{data}}}\n\n");
        stream.push_str(&event);
    };
    event(
        "message_start",
        r#""message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":24,"output_tokens":1}}"#,
    );
    event(
        "content_block_start",
        r#""index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"write_file","input":{}}"#,
    );
    let letters: Vec<char> = arguments.chars().collect();
    for piece in letters.chunks(9) {
        let piece = serde_json::Value::from(piece.iter().collect::<String>());
        let delta = format!(r#""index":0,"delta":{{"type":"input_json_delta","partial_json":{piece}}}"#);
        event("content_block_delta", &delta);
    }
    event("content_block_stop", r#""index":0"#);
    event("message_delta", r#""delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":170}"#);
    event("message_stop", r#""end":true"#);
    stream
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wire = Anthropic::default();
    let mut decoder = wire.decoder(WireLimits::default());
    let mut assembler = Assembler::new(AssembleOptions::default());
    let mut screen = Screen::default();
    let (mut chunks, mut events) = (Vec::<Chunk>::new(), Vec::new());
    // The network splits the stream anywhere, including inside an event and inside a character.
    for bytes in recorded().as_bytes().chunks(61) {
        decoder.push(bytes, &mut chunks)?;
        for chunk in chunks.drain(..) {
            assembler.push(chunk, &mut events);
            for event in events.drain(..) {
                match event {
                    CallEvent::Arguments { key, delta } => {
                        screen.draw(&delta, assembler.partial(key).ok_or("the call is open")?);
                    }
                    // The finished call is a separate value: drawn content is never executed.
                    CallEvent::Finished { call, .. } => {
                        let arguments = WriteFile::parse(call.arguments().ok_or("it is a function")?)?;
                        println!("└ {} bytes for {}", arguments.content.len(), arguments.path.display());
                    }
                    _ => {}
                }
            }
        }
    }
    let Screen { frames, pushed, touched, again, .. } = screen;
    println!("{frames} frames: {pushed} bytes came, {touched} touched.");
    println!("A parser that begins anew at each frame touches {again}, and more with each frame.");
    Ok(())
}
