//! A call whose name and arguments come in any order.

use windlass_stream::CallKey;

use crate::emit::Sink;

/// What is known of one call.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) name: Option<String>,
    arguments: Arguments,
    key: Option<CallKey>,
    /// Whether its name is not on offer.
    pub(super) refused: bool,
    /// Whether it is no call, but holds some.
    pub(super) is_answer: bool,
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
            (Some(key), _) => sink.delta(key, text),
            (None, Arguments::Growing(held)) => held.push_str(text),
            (None, _) => {}
        }
    }

    pub(super) fn end_arguments(&mut self, sink: &mut Sink<'_>) {
        if let Arguments::Growing(held) = &mut self.arguments {
            self.arguments = Arguments::Whole(std::mem::take(held));
            if let Some(key) = self.key {
                sink.end(key);
            }
        }
    }

    /// Begins the call with what has come.
    pub(super) fn begin(&mut self, sink: &mut Sink<'_>) {
        let key = sink.start(self.name.as_deref().unwrap_or_default());
        self.key = Some(key);
        match &mut self.arguments {
            Arguments::None => {}
            Arguments::Growing(held) => sink.delta(key, &std::mem::take(held)),
            Arguments::Whole(held) => {
                sink.delta(key, &std::mem::take(held));
                sink.end(key);
            }
        }
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
