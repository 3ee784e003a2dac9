//! A call whose name and arguments come in any order.

use windlass_stream::CallKey;

use crate::emit::Sink;

/// What is known of one call.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) name: Option<String>,
    arguments: Arguments,
    key: Option<CallKey>,
    /// The end of the arguments. It is held back until the object around them is over: a member that comes twice makes
    /// them no call.
    tail: Option<char>,
    outlook: Outlook,
    /// Whether its name is not on offer.
    pub(super) refused: bool,
    /// Whether it is no call, but holds some.
    pub(super) is_answer: bool,
}

/// How a call will end, as far as its members tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Outlook {
    #[default]
    Whole,
    /// A name or arguments came twice.
    Doubled,
    /// It has ended.
    Settled,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Arguments {
    #[default]
    None,
    /// Arguments that came before the name, as far as they have come.
    Growing(String),
    Whole(String),
}

impl Draft {
    /// No call, but what holds some.
    pub(super) fn answer() -> Self {
        Self { is_answer: true, ..Self::default() }
    }

    pub(super) fn has_name(&self) -> bool {
        self.name.is_some() || self.refused
    }

    pub(super) fn has_arguments(&self) -> bool {
        self.arguments != Arguments::None
    }

    /// Whether it is a call without any arguments.
    pub(super) fn lacks_arguments(&self) -> bool {
        self.name.is_some() && !self.has_arguments()
    }

    /// Whether its chunks are on their way.
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

    /// Takes note of a second name or second arguments. Which of them the model means nobody knows.
    pub(super) fn double(&mut self) {
        if self.outlook == Outlook::Whole {
            self.outlook = Outlook::Doubled;
        }
    }

    /// Ends the call, after which nothing of its object can come.
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

    /// Passes arguments on, all but their last character.
    fn tell(&mut self, key: CallKey, text: &str, sink: &mut Sink<'_>) {
        let Some(last) = text.chars().next_back() else { return };
        if let Some(tail) = self.tail.replace(last) {
            sink.delta(key, tail.encode_utf8(&mut [0; 4]));
        }
        sink.delta(key, text.strip_suffix(last).unwrap_or_default());
    }

    /// Begins the call with what has come.
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

/// Decodes a JSON string as far as it has come and says how many bytes at its end are half an escape. Quotes are
/// its ends.
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
