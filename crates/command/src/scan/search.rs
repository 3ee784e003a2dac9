//! Walks the tokens: which words are programs, what they wrap, and which words are commands again.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use super::notes::Notes;
use super::tokens::{self, Token, Word};
use super::{Found, Scan, dangers, wrapped};
use crate::kind::{self, ProgramKind};
use crate::work::Work;

/// Texts inside texts are followed this deep.
const MAX_DEPTH: usize = 16;
/// Of a program found in broken text, this many words are kept.
const RAW_WORDS: usize = 16;
/// Wrappers inside wrappers.
const MAX_WRAPPERS: usize = 32;
/// Units of work for keeping a program or a word.
const KEPT: usize = 4;
/// Units of work for looking at one place where a program may begin, besides its words.
const STARTED: usize = 8;

pub(super) struct Search {
    notes: Notes,
    found: Vec<Found>,
    loose: Vec<Found>,
    work: Work,
    /// Texts that wait, with their depth.
    waiting: VecDeque<(Rc<str>, usize)>,
    seen: HashSet<Rc<str>>,
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
    /// Begins a search that may cost what a command of so many bytes may.
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
            dangers::of_text(text, &mut self.notes);
        }
        let notes = self.notes.finish(&mut self.work);
        Scan {
            found: self.found,
            loose: self.loose,
            partial: notes.partial || self.work.excess().is_some(),
            writes: notes.writes,
            dangers: notes.dangers,
            excess: self.work.excess(),
            work: self.work.spent(),
        }
    }

    /// Puts a text in line; a text that was met before would find the same once more.
    fn later(&mut self, text: &str, depth: usize) {
        if !self.work.charge(text.len().saturating_add(1))
            || text.trim().is_empty()
            || self.seen.contains(text)
        {
            return;
        }
        if depth > MAX_DEPTH {
            self.notes.partial = true;
            // Too deep to follow, but a name that stands there is found all the same.
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
        // Each byte becomes at most a word and a token.
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
                        self.notes.write(target.text);
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
            self.deeper(value);
            // git takes settings from there, and aliases are settings.
            if first.text.starts_with("GIT_") {
                self.deeper(&format!("git {value}"));
                self.notes.partial = true;
            }
            words = wrapped::behind_keywords(rest);
        }
        let Some(first) = words.first() else { return };
        let argv: Arc<[String]> = words.iter().map(|word| word.text.clone()).collect();
        if !self.work.charge(argv.len().saturating_mul(KEPT)) {
            return;
        }
        // A word that is nothing but an expansion leaves the next one to be the program.
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
            self.printed(draft, pipeline);
        }
    }

    /// What is printed into a shell is a command.
    fn printed(&mut self, draft: &Draft, pipeline: &[String]) {
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

    /// Notes a program and what it wraps. Says whether it, or what it wraps, runs its input. Each place in the words is
    /// looked at once, however many wrappers lead there.
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
            let found = Found::new(name, words, at..words.len(), is_pattern && at == 0);
            let inner = self.place(found, name, rest, feed, &mut runs);
            let place = |inner: usize| at.saturating_add(1).saturating_add(inner);
            places.extend(inner.into_iter().map(|inner| (place(inner), wrappers.saturating_add(1))));
        }
        runs
    }

    /// Notes the program at one place of a command, and gives the places in its words where another program begins.
    fn place(
        &mut self,
        found: Found,
        path: &str,
        rest: &[String],
        feed: Feed,
        runs: &mut Runs,
    ) -> Vec<usize> {
        let name = kind::table_name(path);
        dangers::of_program(&name, rest, &mut self.notes);
        let unsure = match kind::program_kind(&name) {
            ProgramKind::Unknown | ProgramKind::Subcommands => name != "git",
            ProgramKind::Interpreter => !kind::is_shell(&name),
            _ => false,
        };
        // The first of a command has the words of all that follow.
        if unsure && !self.loose.last().is_some_and(|last| last.is_of(&found)) {
            self.loose.push(found.clone());
        }
        self.found.push(found);
        let texts = wrapped::texts(&name, rest);
        if dangers::of_feed(&name, rest, &texts, feed, &mut self.notes) == Runs::Input {
            *runs = Runs::Input;
        }
        if kind::is_interpreter(&name) && !texts_are_known(&name) {
            rest.iter().filter(|word| word.contains(['(', ' ', '"', '\''])).for_each(|word| self.raw(word));
        }
        for text in texts {
            self.deeper(&text);
        }
        // Some wrappers give the word to a shell.
        if path.contains(' ') {
            self.deeper(path);
        }
        let mut places = wrapped::inner(&name, rest);
        places.extend(wrapped::started_by_option(&name, rest));
        places
    }

    /// Every word of a text that could not be read may be a program.
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
            dangers::of_program(&kind::table_name(path), rest, &mut self.notes);
            self.found.push(Found::new(kind::base_name(path), &words, start..end, false));
        }
    }
}

/// Interpreters of which it is known which of their words are commands: the others are data.
fn texts_are_known(name: &str) -> bool {
    matches!(
        name,
        "eval" | "source" | "." | "tmux" | "screen" | "dtach" | "at" | "batch" | "mail" | "mailx" | "mutt"
    )
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
