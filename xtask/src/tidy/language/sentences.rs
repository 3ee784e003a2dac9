//! Splits comments and Markdown into sentences.

/// A sentence, with the line on which its paragraph starts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) line: usize,
    pub(super) text: String,
}

/// Returns the sentences in the comments of a Rust file, without code examples.
pub(super) fn read_source(content: &str) -> Vec<Sentence> {
    let mut paragraphs = Paragraphs::default();
    for (number, line) in (1..).zip(content.lines()) {
        let comment = line.trim_start().strip_prefix("//");
        let text = comment.map(|text| text.strip_prefix(['/', '!']).unwrap_or(text));
        match text {
            Some(text) => paragraphs.line(number, text),
            None => paragraphs.end(),
        }
    }
    paragraphs.into_sentences()
}

/// Returns the sentences of a Markdown file, without code, headings and tables.
pub(super) fn read_markdown(content: &str) -> Vec<Sentence> {
    let mut paragraphs = Paragraphs::default();
    for (number, line) in (1..).zip(content.lines()) {
        paragraphs.line(number, line);
    }
    paragraphs.into_sentences()
}

#[derive(Default)]
struct Paragraphs {
    is_code: bool,
    begin: usize,
    text: String,
    sentences: Vec<Sentence>,
}

impl Paragraphs {
    fn line(&mut self, number: usize, line: &str) {
        let text = line.trim();
        if text.starts_with("```") {
            self.is_code = !self.is_code;
            self.cut();
            return;
        }
        let is_heading = text.starts_with('#');
        if self.is_code || text.is_empty() || is_heading || text.starts_with('|') {
            self.cut();
            return;
        }
        let item = text.strip_prefix("- ").or_else(|| text.strip_prefix("* "));
        if item.is_some() {
            self.cut();
        }
        if self.text.is_empty() {
            self.begin = number;
        } else {
            self.text.push(' ');
        }
        self.text.push_str(item.unwrap_or(text));
    }

    /// Ends a paragraph and a code block: a code example cannot extend beyond its comment.
    fn end(&mut self) {
        self.is_code = false;
        self.cut();
    }

    fn cut(&mut self) {
        let text = std::mem::take(&mut self.text);
        let found = split_text(&text);
        let begin = self.begin;
        self.sentences.extend(found.into_iter().map(|text| Sentence { line: begin, text }));
    }

    fn into_sentences(mut self) -> Vec<Sentence> {
        self.cut();
        self.sentences
    }
}

/// Splits a text into sentences, with one word for each piece of inline code.
pub(super) fn split_text(text: &str) -> Vec<String> {
    split(&replace_code(text))
}

/// Replaces each piece of inline code with one word, because its words are not prose.
fn replace_code(text: &str) -> String {
    let pieces = text.split('`').enumerate();
    pieces.map(|(place, piece)| if place % 2 == 0 { piece } else { "CODE" }).collect()
}

/// Splits after a full stop, a question mark or an exclamation mark that a space follows. Discards single
/// words.
fn split(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut current = String::new();
    for word in text.split_whitespace() {
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(word);
        let end = word.trim_end_matches([')', '"', '*', '_']);
        if end.ends_with(['.', '?', '!']) && !matches!(end, "e.g." | "i.e." | "etc." | "vs.") {
            sentences.push(std::mem::take(&mut current));
        }
    }
    sentences.push(current);
    sentences.retain(|sentence| sentence.contains(' '));
    sentences
}
