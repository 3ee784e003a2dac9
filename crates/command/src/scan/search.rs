//! Walks the tokens: which words are programs, what they wrap, and which words are commands again.

use std::collections::VecDeque;

use super::tokens::{self, Token, Word};
use super::{Found, Scan, dangers, wrapped};

/// Texts inside texts are followed this deep, and this many bytes in all.
const MAX_DEPTH: usize = 16;
const MAX_BYTES: usize = 4 << 20;
/// Of a program found in broken text, this many words are kept.
const RAW_WORDS: usize = 16;
/// Wrappers inside wrappers and programs in all.
const MAX_WRAPPERS: usize = 32;
const MAX_FOUND: usize = 100_000;

#[derive(Default)]
pub(super) struct Search {
    scan: Scan,
    /// Texts that wait, with their depth.
    waiting: VecDeque<(String, usize)>,
    bytes: usize,
    depth: usize,
}

/// One command as it is being collected.
#[derive(Default)]
struct Draft {
    words: Vec<Word>,
    reads_pipe: bool,
    /// What stands behind `<` and `<<<`.
    fed: Vec<String>,
}

impl Search {
    pub(super) fn text(&mut self, text: &str) {
        self.later(text.to_owned(), 0);
        while let Some((text, depth)) = self.waiting.pop_front() {
            self.depth = depth;
            self.one(&text);
        }
    }

    pub(super) fn argv(&mut self, argv: &[String]) {
        self.program(argv, Feed::Nothing, 0);
        while let Some((text, depth)) = self.waiting.pop_front() {
            self.depth = depth;
            self.one(&text);
        }
    }

    pub(super) fn finish(mut self, text: &str) -> Scan {
        dangers::of_text(text, &mut self.scan.dangers);
        for path in &self.scan.writes {
            dangers::of_write(path, &mut self.scan.dangers);
        }
        let mut seen = Vec::new();
        self.scan.dangers.retain(|danger| {
            let fresh = !seen.contains(danger);
            if fresh {
                seen.push(danger.clone());
            }
            fresh
        });
        self.scan
    }

    fn later(&mut self, text: String, depth: usize) {
        self.bytes = self.bytes.saturating_add(text.len());
        if depth > MAX_DEPTH || self.bytes > MAX_BYTES {
            self.scan.partial = true;
            // Too deep to follow, but a name that stands there is found all the same.
            if self.bytes <= MAX_BYTES.saturating_mul(2) {
                self.raw(&text);
            }
            return;
        }
        if !text.trim().is_empty() {
            self.waiting.push_back((text, depth));
        }
    }

    fn deeper(&mut self, text: String) {
        let depth = self.depth.saturating_add(1);
        self.later(text, depth);
    }

    fn one(&mut self, text: &str) {
        let tokens = tokens::cut(text);
        if tokens.broken {
            self.scan.partial = true;
            self.raw(text);
        }
        for inner in tokens.nested {
            self.deeper(inner);
        }
        let mut draft = Draft::default();
        let mut pipeline: Vec<String> = Vec::new();
        let mut list = tokens.list.into_iter().peekable();
        while let Some(token) = list.next() {
            match token {
                Token::Word(word) => draft.words.push(word),
                Token::Write => {
                    if let Some(Token::Word(target)) = list.next_if(|next| matches!(next, Token::Word(_))) {
                        self.scan.partial |= target.dynamic;
                        self.scan.writes.push(target.text);
                    }
                }
                Token::Read => {
                    if let Some(Token::Word(source)) = list.next_if(|next| matches!(next, Token::Word(_))) {
                        draft.fed.push(source.text);
                    }
                }
                Token::Pipe => {
                    let words = std::mem::take(&mut draft);
                    pipeline.extend(words.words.iter().map(|word| word.text.clone()));
                    self.command(&words, &pipeline);
                    draft.reads_pipe = true;
                }
                Token::Break => {
                    self.command(&std::mem::take(&mut draft), &pipeline);
                    pipeline.clear();
                }
            }
        }
        self.command(&draft, &pipeline);
    }

    fn command(&mut self, draft: &Draft, pipeline: &[String]) {
        let mut words = wrapped::behind_keywords(&draft.words);
        while let Some((first, rest)) = words.split_first() {
            let Some(value) = wrapped::assigned(&first.text) else { break };
            self.deeper(value.to_owned());
            words = wrapped::behind_keywords(rest);
        }
        let Some(first) = words.first() else { return };
        // A word that is nothing but an expansion leaves the next one to be the program.
        if first.dynamic {
            self.scan.partial = true;
            if first.text.is_empty() {
                let rest: Vec<String> = words.iter().skip(1).map(|word| word.text.clone()).collect();
                self.program(&rest, Feed::Nothing, 0);
            }
        }
        let argv: Vec<String> = words.iter().map(|word| word.text.clone()).collect();
        let dynamic = words.iter().any(|word| word.dynamic);
        let has_input = draft.reads_pipe || !draft.fed.is_empty();
        let feed = if has_input {
            Feed::Pipe
        } else if dynamic {
            Feed::Expansion
        } else {
            Feed::Nothing
        };
        if self.program(&argv, feed, 0) == Runs::Input {
            // What is printed into a shell is a command.
            pipeline.iter().filter(|word| word.contains(' ')).for_each(|word| self.deeper(word.clone()));
            self.raw(&pipeline.join(" "));
            draft.fed.iter().for_each(|text| self.raw(text));
        }
    }

    /// Notes a program and what it wraps. Says whether it, or what it wraps, runs its input.
    fn program(&mut self, argv: &[String], feed: Feed, wrappers: usize) -> Runs {
        let Some((path, words)) = argv.split_first() else { return Runs::Nothing };
        let name = base_name(path);
        if name.is_empty() {
            return Runs::Nothing;
        }
        if wrappers > MAX_WRAPPERS || self.scan.found.len() >= MAX_FOUND {
            self.scan.partial = true;
            return Runs::Nothing;
        }
        let mut named = vec![name.clone()];
        named.extend(words.iter().cloned());
        dangers::of_program(&name, words, &mut self.scan);
        self.scan.found.push(Found { argv: named });
        let texts = wrapped::texts(&name, words);
        let mut runs = dangers::of_feed(&name, words, &texts, feed, &mut self.scan);
        if wrapped::INTERPRETERS.contains(&name.as_str()) {
            words.iter().filter(|word| word.contains(['(', ' ', '"', '\''])).for_each(|word| self.raw(word));
        }
        for text in texts {
            self.deeper(text);
        }
        let mut places = wrapped::inner(&name, words);
        places.extend(wrapped::started_by_option(&name, words));
        for place in places {
            let inner = words.get(place..).unwrap_or_default();
            if self.program(inner, feed, wrappers.saturating_add(1)) == Runs::Input {
                runs = Runs::Input;
            }
        }
        runs
    }

    /// Every word of a text that could not be read may be a program.
    fn raw(&mut self, text: &str) {
        let separates = |char: char| char.is_whitespace() || ";|&()<>{}`'\"$,[]".contains(char);
        let words: Vec<String> = text
            .split(separates)
            .filter(|word| !word.is_empty())
            .map(|word| word.replace('\\', ""))
            .collect();
        for start in 0..words.len() {
            if self.scan.found.len() >= MAX_FOUND {
                self.scan.partial = true;
                return;
            }
            let mut argv: Vec<String> = words.iter().skip(start).take(RAW_WORDS).cloned().collect();
            if let Some(first) = argv.first_mut() {
                *first = base_name(first);
            }
            if let Some((name, rest)) = argv.split_first() {
                dangers::of_program(name, rest, &mut self.scan);
            }
            self.scan.found.push(Found { argv });
        }
    }
}

/// Where the text of an interpreter may come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Feed {
    Nothing,
    Pipe,
    /// One of its words is an expansion.
    Expansion,
}

/// Whether a program runs what it is fed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    Nothing,
    Input,
}

fn base_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}
