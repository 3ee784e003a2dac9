//! Reads the text of `Debug`.

/// A value in the text of `Debug`.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// The name of a struct or variant. `None` for a list, a map, a text and a number.
    pub(crate) name: Option<String>,
    /// The members with their labels. The members of a list, a tuple and a map have none.
    pub(crate) members: Vec<(Option<String>, Self)>,
    /// The text of a value without members.
    text: String,
}

impl Node {
    /// Parses the text of a value.
    pub(crate) fn parse(text: &str) -> Self {
        Parser { rest: text }.value()
    }

    /// Returns true for the values of a field that is not set.
    pub(crate) fn is_empty(&self) -> bool {
        let is_unset = matches!(self.text.as_str(), "" | "false" | "\"\"");
        match self.name.as_deref() {
            Some(name) => name == "None",
            None => self.members.is_empty() && is_unset,
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn value(&mut self) -> Node {
        self.skip_blanks();
        if self.rest.starts_with('"') {
            return Node { text: self.quoted(), ..Node::default() };
        }
        let word = self.word();
        let name = word.starts_with(char::is_uppercase).then(|| word.clone());
        self.skip_blanks();
        let close = match self.rest.chars().next() {
            Some('(') => ')',
            Some('{') => '}',
            Some('[') => ']',
            _ => return Node { name, text: word, members: Vec::new() },
        };
        self.rest = &self.rest[1..];
        let mut members = Vec::new();
        loop {
            self.skip_blanks();
            if self.rest.is_empty() {
                break;
            }
            if let Some(rest) = self.rest.strip_prefix(close) {
                self.rest = rest;
                break;
            }
            members.push(self.member());
        }
        Node { name, members, text: String::new() }
    }

    /// Reads a value, or a label and its value.
    fn member(&mut self) -> (Option<String>, Node) {
        let first = self.value();
        self.skip_spaces();
        let is_label = self.rest.starts_with(':');
        if is_label {
            self.rest = &self.rest[1..];
            return (first.name.or(Some(first.text)), self.value());
        }
        (None, first)
    }

    fn word(&mut self) -> String {
        let end = self.rest.find(|character: char| "(){}[],:\" ".contains(character));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        // A character that begins no value must not stop the parser.
        let skipped = if word.is_empty() { rest.strip_prefix([',', ':', ')', '}', ']']) } else { None };
        self.rest = skipped.unwrap_or(rest);
        word.to_owned()
    }

    fn quoted(&mut self) -> String {
        let mut escaped = false;
        let end = self.rest.char_indices().skip(1).find(|(_, character)| {
            let ends = *character == '"' && !escaped;
            escaped = *character == '\\' && !escaped;
            ends
        });
        let (text, rest) = self.rest.split_at(end.map_or(self.rest.len(), |(at, _)| at + 1));
        self.rest = rest;
        text.to_owned()
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([',', ' ']);
    }
}
