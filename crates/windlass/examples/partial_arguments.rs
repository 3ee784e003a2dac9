//! A `write_file` call drawn while the model writes it: the path, then the content line by line, each line with
//! the bytes that came and the bytes that drawing them has touched. Runs without a network, in a pipe too.
//!
//! `cargo run -p windlass --example partial_arguments`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use std::io::Write as _;

use windlass::assemble::{Assembler, CallEvent, Options};
use windlass::partial_json::Snapshot;
use windlass::stream::Chunk;
use windlass::tool::{ToolArgs, TypedPartial};
use windlass::wire::{Limits, Wire};
use windlass::wire_anthropic::Anthropic;

/// What the tool takes. The derive makes `PartialWriteFile` beside it, whose fields fill as they arrive.
#[derive(Debug, ToolArgs)]
struct WriteFile {
    /// The file, relative to the workspace.
    path: std::path::PathBuf,
    /// Its whole content.
    content: String,
}

/// Draws what is new, and counts.
#[derive(Default)]
struct Screen {
    typed: TypedPartial<WriteFile>,
    /// How much of the content has been drawn.
    drawn: usize,
    column: usize,
    has_path: bool,
    frames: usize,
    pushed: usize,
    touched: usize,
    /// What a parser that begins anew at each frame would have touched.
    again: usize,
}

impl Screen {
    /// One frame: what this text adds to what the assembler's parser shows.
    fn draw(&mut self, delta: &str, snapshot: Snapshot<'_>) {
        let partial = self.typed.update(snapshot);
        let new = partial.content.as_str().get(self.drawn..).unwrap_or_default().to_owned();
        let path = partial.path.complete().filter(|_| !self.has_path).cloned();
        self.drawn = self.drawn.saturating_add(new.len());
        self.frames = self.frames.saturating_add(1);
        self.pushed = self.pushed.saturating_add(delta.len());
        // Read once by the parser, appended once to the field, drawn once.
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
        // A terminal shows a line that is still growing only when it is told to; a pipe does not mind.
        drop(std::io::stdout().flush());
    }
}

/// What a provider sends while a model writes this call, in its public form: a few letters of the arguments in
/// each event.
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
    let mut decoder = wire.decoder(Limits::default());
    let mut assembler = Assembler::new(Options::default());
    let mut screen = Screen::default();
    let (mut chunks, mut events) = (Vec::<Chunk>::new(), Vec::new());
    // The network cuts anywhere, also inside an event and inside a letter.
    for bytes in recorded().as_bytes().chunks(61) {
        decoder.push(bytes, &mut chunks)?;
        for chunk in chunks.drain(..) {
            assembler.push(chunk, &mut events);
            for event in events.drain(..) {
                match event {
                    CallEvent::Arguments { key, delta } => {
                        screen.draw(&delta, assembler.partial(key).ok_or("the call is open")?);
                    }
                    // The finished call is another value: what was drawn is never what runs.
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
