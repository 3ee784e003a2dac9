//! A call whose name and arguments may arrive in any order.

use windlass_stream::CallKey;

use crate::emit::Sink;

/// The known parts of one call.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) name: Option<String>,
    arguments: Arguments,
    key: Option<CallKey>,
    /// The last character of the arguments. It is held back until the enclosing object ends, because a
    /// repeated member makes the call invalid.
    tail: Option<char>,
    outlook: Outlook,
    /// True if the named tool is not offered.
    pub(super) refused: bool,
    /// True if the object is not a call but contains calls.
    pub(super) is_answer: bool,
}

/// The expected end of a call, given the members so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Outlook {
    #[default]
    Whole,
    /// The name or the arguments were repeated.
    Doubled,
    /// The end has been emitted.
    Settled,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Arguments {
    #[default]
    None,
    /// Arguments that arrived before the name; holds the text so far.
    Growing(String),
    Whole(String),
}

impl Draft {
    /// Creates the draft of an object that contains calls but is not one itself.
    pub(super) fn answer() -> Self {
        Self { is_answer: true, ..Self::default() }
    }

    pub(super) fn has_name(&self) -> bool {
        self.name.is_some() || self.refused
    }

    pub(super) fn has_arguments(&self) -> bool {
        self.arguments != Arguments::None
    }

    /// Returns whether the call has a name and no arguments.
    pub(super) fn lacks_arguments(&self) -> bool {
        self.name.is_some() && !self.has_arguments()
    }

    /// Returns whether the start of the call has been emitted.
    pub(super) fn has_begun(&self) -> bool {
        self.key.is_some()
    }

    pub(super) fn is_ready(&self) -> bool {
        self.name.is_some() && self.has_arguments() && !self.has_begun()
    }

    pub(super) fn begin_arguments(&mut self) {
        self.arguments = Arguments::Growing(String::new());
    }

    pub(super) fn push_arguments(&mut self, text: &str, sink: &mut Sink<'_>) {
        match (self.key, &mut self.arguments) {
            (Some(key), _) => self.tell(key, text, sink),
            (None, Arguments::Growing(held)) => held.push_str(text),
            (None, _) => {}
        }
    }

    pub(super) fn end_arguments(&mut self) {
        if let Arguments::Growing(held) = &mut self.arguments {
            self.arguments = Arguments::Whole(std::mem::take(held));
        }
    }

    /// Records a second name or second arguments. The intended one is ambiguous.
    pub(super) fn double(&mut self) {
        if self.outlook == Outlook::Whole {
            self.outlook = Outlook::Doubled;
        }
    }

    /// Emits the end of the call, at the end of its object.
    pub(super) fn settle(&mut self, sink: &mut Sink<'_>) {
        let Some(key) = self.key else { return };
        match std::mem::replace(&mut self.outlook, Outlook::Settled) {
            Outlook::Whole => {}
            Outlook::Doubled => return sink.breaks(key),
            Outlook::Settled => return,
        }
        if let Some(tail) = self.tail.take() {
            sink.delta(key, tail.encode_utf8(&mut [0; 4]));
        }
        if matches!(self.arguments, Arguments::Whole(_)) {
            sink.end(key);
        }
    }

    /// Emits arguments, except their last character.
    fn tell(&mut self, key: CallKey, text: &str, sink: &mut Sink<'_>) {
        let Some(last) = text.chars().next_back() else { return };
        if let Some(tail) = self.tail.replace(last) {
            sink.delta(key, tail.encode_utf8(&mut [0; 4]));
        }
        sink.delta(key, text.strip_suffix(last).unwrap_or_default());
    }

    /// Emits the start of the call and the arguments that have arrived.
    pub(super) fn begin(&mut self, sink: &mut Sink<'_>) {
        let key = sink.start(self.name.as_deref().unwrap_or_default());
        self.key = Some(key);
        let held = match &mut self.arguments {
            Arguments::None => return,
            Arguments::Growing(held) | Arguments::Whole(held) => std::mem::take(held),
        };
        self.tell(key, &held, sink);
    }
}

/// Decodes the available part of a JSON string and returns the number of bytes of an incomplete escape at its
/// end. Skips the quotes.
pub(super) fn words_into(json: &str, words: &mut String) -> usize {
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        let mut len = c.len_utf8();
        match c {
            '"' => {}
            '\\' => {
                len = match rest.as_bytes().get(1) {
                    Some(b'u') if is_high_surrogate(rest) => 12,
                    Some(b'u') => 6,
                    _ => 2,
                };
                let Some(escape) = rest.get(..len) else { return rest.len() };
                match serde_json::from_str::<String>(&format!("\"{escape}\"")) {
                    Ok(text) => words.push_str(&text),
                    Err(_) => words.push_str(escape),
                }
            }
            c => words.push(c),
        }
        rest = rest.get(len..).unwrap_or_default();
    }
    0
}

fn is_high_surrogate(escape: &str) -> bool {
    let digits = escape.get(2..4).unwrap_or_default().to_ascii_lowercase();
    matches!(digits.as_str(), "d8" | "d9" | "da" | "db")
}
