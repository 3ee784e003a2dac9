//! Changes of an answer's text that the model's provider does not make: stop sequences, and JSON without a fence.

use windlass_protocol::StopReason;
use windlass_stream::Chunk;

/// The changes of one answer's text, chunk by chunk.
#[derive(Debug, Default)]
pub(crate) struct TextFilter {
    sequences: Vec<String>,
    fence: Option<FenceFilter>,
    /// Text that may be the beginning of a sequence.
    held: String,
    /// The sequence at which the answer was cut.
    matched: Option<String>,
}

impl TextFilter {
    /// Creates a filter that cuts the answer at the first of these sequences, and removes a fence of Markdown around
    /// the text if the answer must be JSON.
    pub(crate) fn new(mut sequences: Vec<String>, is_json: bool) -> Self {
        sequences.retain(|sequence| !sequence.is_empty());
        Self { sequences, fence: is_json.then(FenceFilter::default), ..Self::default() }
    }

    /// Returns true if the answer was cut, so that the rest of it is not needed.
    pub(crate) fn is_cut(&self) -> bool {
        self.matched.is_some()
    }

    /// Appends the chunks that the client receives. After a cut these are usage and the finish.
    pub(crate) fn push(&mut self, chunk: Chunk, out: &mut Vec<Chunk>) {
        let is_idle = self.sequences.is_empty() && self.fence.is_none();
        match chunk {
            chunk if is_idle => out.push(chunk),
            Chunk::Finish { .. } if self.is_cut() => {
                let raw = self.matched.clone().unwrap_or_default();
                out.push(Chunk::Finish { reason: StopReason::StopSequence, raw });
            }
            chunk @ (Chunk::Usage { .. } | Chunk::Error { .. } | Chunk::TextEnd { .. }) if self.is_cut() => {
                out.push(chunk);
            }
            _ if self.is_cut() => {}
            Chunk::Text { text } => self.push_text(&text, out),
            // Usage can arrive between two pieces of text.
            chunk @ Chunk::Usage { .. } => out.push(chunk),
            chunk => {
                self.release(out);
                out.push(chunk);
            }
        }
    }

    fn push_text(&mut self, text: &str, out: &mut Vec<Chunk>) {
        let text = match &mut self.fence {
            Some(fence) => fence.push(text),
            None => text.to_owned(),
        };
        self.held.push_str(&text);
        let first = |sequence: &String| Some((self.held.find(sequence.as_str())?, sequence.clone()));
        // Of two sequences at one place, the shorter one was complete first.
        let found =
            self.sequences.iter().filter_map(first).min_by_key(|(place, found)| (*place, found.len()));
        if let Some((place, sequence)) = found {
            self.held.truncate(place);
            self.emit_held(self.held.len(), out);
            self.matched = Some(sequence);
            return;
        }
        let keep = self.sequences.iter().map(|sequence| overlap(&self.held, sequence)).max().unwrap_or(0);
        self.emit_held(self.held.len().saturating_sub(keep), out);
    }

    /// Emits the first bytes of the held text.
    fn emit_held(&mut self, bytes: usize, out: &mut Vec<Chunk>) {
        if bytes > 0 {
            let rest = self.held.split_off(bytes);
            out.push(Chunk::Text { text: std::mem::replace(&mut self.held, rest) });
        }
    }

    /// Emits the held text, because other content follows.
    fn release(&mut self, out: &mut Vec<Chunk>) {
        if let Some(fence) = &mut self.fence {
            self.held.push_str(&fence.finish());
        }
        self.emit_held(self.held.len(), out);
    }
}

/// Returns the length of the longest end of a text that is a beginning of the sequence.
fn overlap(text: &str, sequence: &str) -> usize {
    let ends = sequence.char_indices().map(|(place, _)| place).filter(|place| *place > 0);
    ends.filter(|place| sequence.get(..*place).is_some_and(|start| text.ends_with(start))).max().unwrap_or(0)
}

/// The removal of a fence of Markdown around a text.
#[derive(Debug, Default)]
struct FenceFilter {
    /// Text without a decision: the beginning, or an end that may be the fence.
    held: String,
    state: FenceState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FenceState {
    /// The text begins.
    #[default]
    Start,
    /// The text has no fence.
    Plain,
    /// The text is inside of a fence.
    Fenced,
}

const FENCE: &str = "```";

impl FenceFilter {
    fn push(&mut self, text: &str) -> String {
        self.held.push_str(text);
        if self.state == FenceState::Start {
            let start = self.held.trim_start();
            if FENCE.starts_with(start) {
                return String::new();
            }
            if start.starts_with(FENCE) {
                let Some((_, rest)) = start.split_once('\n') else { return String::new() };
                self.held = rest.to_owned();
                self.state = FenceState::Fenced;
            } else {
                self.state = FenceState::Plain;
            }
        }
        if self.state == FenceState::Plain {
            return std::mem::take(&mut self.held);
        }
        let keep = self.held.trim_end_matches(|letter: char| letter.is_whitespace() || letter == '`').len();
        let rest = self.held.split_off(keep);
        std::mem::replace(&mut self.held, rest)
    }

    /// Returns the held text, without the end of a fence.
    fn finish(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        match std::mem::take(&mut self.state) {
            FenceState::Fenced => held.split(FENCE).next().unwrap_or_default().trim_end().to_owned(),
            FenceState::Start | FenceState::Plain => held,
        }
    }
}

#[cfg(test)]
mod tests;
