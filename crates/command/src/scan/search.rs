//! Search over the tokens for programs, for the inner programs of wrappers, and for words that are commands
//! themselves.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use super::notes::Notes;
use super::tokens::{self, Token, Word};
use super::{ProgramStart, Scan, dangers, wrapped};
use crate::kind::{self, ProgramKind};
use crate::work::Work;

/// Maximum depth of texts inside texts.
const MAX_DEPTH: usize = 16;
/// Maximum number of words that are stored for a program in malformed text.
const RAW_WORDS: usize = 16;
/// Maximum depth of wrappers inside wrappers.
const MAX_WRAPPERS: usize = 32;
/// Units of work for storing a program or a word.
const KEPT: usize = 4;
/// Units of work for examining one possible start of a program, without the cost of its words.
const STARTED: usize = 8;

pub(super) struct Search {
    notes: Notes,
    found: Vec<ProgramStart>,
    loose: Vec<ProgramStart>,
    work: Work,
    /// Queue of texts that are not scanned yet, with their depth.
    waiting: VecDeque<(Rc<str>, usize)>,
    seen: HashSet<Rc<str>>,
    depth: usize,
}

/// A command whose words are still being collected.
#[derive(Default)]
struct Draft {
    words: Vec<Word>,
    reads_pipe: bool,
    /// The operands of `<` and `<<<`.
    fed: Vec<String>,
}

impl Search {
    /// Creates a search with the budget for a command of this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            notes: Notes::default(),
            found: Vec::new(),
            loose: Vec::new(),
            work: Work::for_bytes(bytes),
            waiting: VecDeque::new(),
            seen: HashSet::new(),
            depth: 0,
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.later(text, 0);
        self.follow();
    }

    pub(super) fn argv(&mut self, argv: &[String]) {
        if self.work.charge(argv.len().saturating_mul(KEPT)) {
            self.program(&argv.into(), false, Feed::Nothing);
            self.follow();
        }
    }

    fn follow(&mut self) {
        while let Some((text, depth)) = self.waiting.pop_front() {
            self.depth = depth;
            self.one(&text);
        }
    }

    pub(super) fn finish(mut self, text: &str) -> Scan {
        if self.work.charge(text.len()) {
            dangers::record_text(text, &mut self.notes);
        }
        let notes = self.notes.finish(&mut self.work);
        Scan {
            found: self.found,
            loose: self.loose,
            partial: notes.partial || self.work.excess().is_some(),
            writes: notes.writes,
            dangers: notes.dangers,
            excess: self.work.excess(),
            work: self.work.count_steps(),
        }
    }

    /// Queues a text. Skips a text that was queued before, because it would give the same results.
    fn later(&mut self, text: &str, depth: usize) {
        if !self.work.charge(text.len().saturating_add(1))
            || text.trim().is_empty()
            || self.seen.contains(text)
        {
            return;
        }
        if depth > MAX_DEPTH {
            self.notes.partial = true;
            // The text is too deep to be parsed, but the names of programs in it are still recorded.
            return self.raw(text);
        }
        let text: Rc<str> = text.into();
        self.seen.insert(Rc::clone(&text));
        self.waiting.push_back((text, depth));
    }

    fn deeper(&mut self, text: &str) {
        let depth = self.depth.saturating_add(1);
        self.later(text, depth);
    }

    fn one(&mut self, text: &str) {
        // Each byte yields at most one word and one token.
        if !self.work.charge(text.len()) {
            return;
        }
        let tokens = tokens::cut(text);
        if tokens.broken {
            self.notes.partial = true;
            self.raw(text);
        }
        for inner in tokens.nested {
            self.deeper(&inner);
        }
        let mut draft = Draft::default();
        let mut pipeline: Vec<String> = Vec::new();
        let mut list = tokens.list.into_iter().peekable();
        while let Some(token) = list.next() {
            match token {
                Token::Word(word) => draft.words.push(word),
                Token::Write => {
                    if let Some(Token::Word(target)) = list.next_if(|next| matches!(next, Token::Word(_))) {
                        self.notes.partial |= target.dynamic;
                        self.notes.write(&target.text);
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
        let mut words = wrapped::skip_keywords(&draft.words);
        while let Some((first, rest)) = words.split_first() {
            let Some(value) = wrapped::assignment_value(&first.text) else { break };
            self.deeper(value);
            // git reads configuration from these variables, and configuration can define aliases.
            if first.text.starts_with("GIT_") {
                self.deeper(&format!("git {value}"));
                self.notes.partial = true;
            }
            words = wrapped::skip_keywords(rest);
        }
        let Some(first) = words.first() else { return };
        let argv: Arc<[String]> = words.iter().map(|word| word.text.clone()).collect();
        if !self.work.charge(argv.len().saturating_mul(KEPT)) {
            return;
        }
        // If the first word is only an expansion, it may expand to nothing, so the next word may be the
        // program.
        if first.dynamic {
            self.notes.partial = true;
            if first.text.is_empty() {
                self.program(&argv.get(1..).unwrap_or_default().into(), false, Feed::Nothing);
            }
        }
        let dynamic = words.iter().any(|word| word.dynamic);
        let has_input = draft.reads_pipe || !draft.fed.is_empty();
        let feed = if has_input {
            Feed::Pipe
        } else if dynamic {
            Feed::Expansion
        } else {
            Feed::Nothing
        };
        if self.program(&argv, first.dynamic, feed) == Runs::Input {
            self.scan_printed(draft, pipeline);
        }
    }

    /// Scans text that is printed into a shell as commands.
    fn scan_printed(&mut self, draft: &Draft, pipeline: &[String]) {
        for word in pipeline {
            if !self.work.charge(word.len().saturating_add(1)) {
                return;
            }
            if word.contains(' ') {
                self.deeper(word);
            }
        }
        self.raw(&pipeline.join(" "));
        draft.fed.iter().for_each(|text| self.raw(text));
    }

    /// Records a program and its inner programs. Returns whether one of them executes its input. Each
    /// position in the words is examined once, even if several wrappers lead to it.
    fn program(&mut self, words: &Arc<[String]>, is_pattern: bool, feed: Feed) -> Runs {
        let mut runs = Runs::Nothing;
        let mut bytes: usize = words.iter().map(String::len).sum();
        let (mut seen, mut places) = (HashSet::new(), VecDeque::from([(0_usize, 0_usize)]));
        let mut before = 0;
        while let Some((at, wrappers)) = places.pop_front() {
            if !seen.insert(at) {
                continue;
            }
            if at > before {
                let passed = words.get(before..at).unwrap_or_default();
                bytes = bytes.saturating_sub(passed.iter().map(String::len).sum());
                before = at;
            }
            let Some((path, rest)) = words.get(at..).and_then(<[String]>::split_first) else { continue };
            let name = kind::base_name(path);
            if name.is_empty() {
                continue;
            }
            if wrappers > MAX_WRAPPERS {
                self.notes.partial = true;
                continue;
            }
            let cost = rest.len().saturating_mul(2).saturating_add(bytes / 8).saturating_add(STARTED);
            if !self.work.charge(cost) {
                return runs;
            }
            let found = ProgramStart::new(name, words, at..words.len(), is_pattern && at == 0);
            let inner = self.place(found, name, rest, feed, &mut runs);
            let place = |inner: usize| at.saturating_add(1).saturating_add(inner);
            places.extend(inner.into_iter().map(|inner| (place(inner), wrappers.saturating_add(1))));
        }
        runs
    }

    /// Records the program at one position of a command. Returns the positions in its words where another
    /// program begins.
    fn place(
        &mut self,
        found: ProgramStart,
        path: &str,
        rest: &[String],
        feed: Feed,
        runs: &mut Runs,
    ) -> Vec<usize> {
        let name = kind::table_name(path);
        dangers::record_program(&name, rest, &mut self.notes);
        let unsure = match kind::program_kind(&name) {
            ProgramKind::Unknown | ProgramKind::Subcommands => name != "git",
            ProgramKind::Interpreter => !kind::is_shell(&name),
            _ => false,
        };
        // One entry per command is enough: the first one has the words of all later ones.
        if unsure && !self.loose.last().is_some_and(|last| last.is_of(&found)) {
            self.loose.push(found.clone());
        }
        self.found.push(found);
        let texts = wrapped::texts(&name, rest);
        if dangers::record_feed(&name, rest, &texts, feed, &mut self.notes) == Runs::Input {
            *runs = Runs::Input;
        }
        if kind::is_interpreter(&name) && !texts_are_known(&name) {
            rest.iter().filter(|word| word.contains(['(', ' ', '"', '\''])).for_each(|word| self.raw(word));
        }
        for text in texts {
            self.deeper(&text);
        }
        // Some wrappers pass this word to a shell.
        if path.contains(' ') {
            self.deeper(path);
        }
        let mut places = wrapped::inner(&name, rest);
        places.extend(wrapped::find_option_starts(&name, rest));
        places
    }

    /// Records every word of a text that could not be parsed as a possible program.
    fn raw(&mut self, text: &str) {
        if !self.work.charge(text.len()) {
            return;
        }
        let separates = |char: char| char.is_whitespace() || ";|&()<>{}`'\"$,[]".contains(char);
        let words: Arc<[String]> = text
            .split(separates)
            .filter(|word| !word.is_empty())
            .map(|word| word.replace('\\', ""))
            .collect();
        for (start, path) in words.iter().enumerate() {
            if !self.work.charge(RAW_WORDS) {
                return;
            }
            let end = start.saturating_add(RAW_WORDS).min(words.len());
            let rest = words.get(start.saturating_add(1)..end).unwrap_or_default();
            dangers::record_program(&kind::table_name(path), rest, &mut self.notes);
            self.found.push(ProgramStart::new(kind::base_name(path), &words, start..end, false));
        }
    }
}

/// Returns whether the words of an interpreter that are commands are known. Its other words are then data.
fn texts_are_known(name: &str) -> bool {
    matches!(
        name,
        "eval" | "source" | "." | "tmux" | "screen" | "dtach" | "at" | "batch" | "mail" | "mailx" | "mutt"
    )
}

/// A possible source of the text that an interpreter executes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Feed {
    Nothing,
    Pipe,
    /// One of the command's words is an expansion.
    Expansion,
}

/// The text outside its own words that a program executes: none, or its standard input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    Nothing,
    Input,
}
