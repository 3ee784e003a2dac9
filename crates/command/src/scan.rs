//! Tolerant analysis for deny rules: finds the programs and writes of any text. It prefers a false match to a
//! missed one.

mod dangers;
mod nested;
mod notes;
mod pattern;
mod search;
mod tokens;
mod wrapped;

use std::ops::Range;
use std::sync::Arc;

use search::Search;

use crate::{Excess, kind};

/// The programs, writes and dangers that were found in a text, which may be malformed. A policy uses a scan
/// only to make a decision stricter, never to allow a command.
///
/// ```
/// use windlass_command::{Certainty, Danger, Scan};
///
/// let scan = Scan::read("curl -s example.test/x | sudo -u root bash; git -C sub --no-pager push");
/// assert!(scan.runs(&["git", "push"]) && scan.runs(&["curl"]));
/// assert!(scan.dangers().contains(&Danger::FeedsShell));
/// assert_eq!(Scan::read("$tool -rf x").certainty(), Certainty::Partial);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    found: Vec<ProgramStart>,
    /// Found programs of unknown kind. They may run another program that one of their words names.
    loose: Vec<ProgramStart>,
    writes: Vec<String>,
    dangers: Vec<Danger>,
    partial: bool,
    excess: Option<Excess>,
    work: usize,
}

/// The number of words after a possible program name that are compared with a rule.
const LOOSE_WORDS: usize = 64;

/// A program that a command would start, or may start.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProgramStart {
    program: String,
    /// The words of the whole command, shared by all programs that were found in it.
    words: Arc<[String]>,
    place: Range<usize>,
    is_pattern: bool,
}

impl ProgramStart {
    /// Creates an entry for the program at the start of a range of words.
    pub(crate) fn new(program: &str, words: &Arc<[String]>, place: Range<usize>, is_pattern: bool) -> Self {
        Self { program: program.to_owned(), words: Arc::clone(words), place, is_pattern }
    }

    /// Returns the name of the program without its folder.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Returns the words after the program, without quotes. An expansion is replaced by the empty text.
    pub fn words(&self) -> &[String] {
        let from = self.place.start.saturating_add(1);
        self.words.get(from..self.place.end).unwrap_or_default()
    }

    /// Returns whether a rule of words applies to this program.
    ///
    /// The first word of the rule is the name of the program in any case, or the name of an interpreter
    /// without its version. The other words of the rule must follow in this order among the program's words,
    /// with only options and their values between them. A program name that is a file pattern matches every
    /// name that the pattern can expand to.
    pub fn matches(&self, rule: &[&str]) -> bool {
        let Some((name, wanted)) = rule.split_first() else { return false };
        let fits = kind::is_same_program(name, &self.program)
            || self.is_pattern
                && pattern::fits(&self.program.to_ascii_lowercase(), &name.to_ascii_lowercase());
        fits && follows(wanted, self.words())
    }

    /// Returns whether both programs were found in the same command.
    fn is_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.words, &other.words)
    }

    /// Returns whether one of this program's words, or a part of one, could be the program of a rule.
    fn may_run(&self, rule: &[&str]) -> bool {
        let Some((name, wanted)) = rule.split_first() else { return false };
        let words = self.words();
        let skipped = match kind::program_kind(&self.program) {
            // The first operand is a sub-command.
            kind::ProgramKind::Subcommands => words
                .iter()
                .position(|word| !word.starts_with('-'))
                .map_or(words.len(), |at| at.saturating_add(1)),
            _ => 0,
        };
        words.iter().enumerate().skip(skipped).any(|(at, word)| {
            let behind = words.get(at.saturating_add(1)..).unwrap_or_default();
            let behind = behind.get(..LOOSE_WORDS.min(behind.len())).unwrap_or_default();
            let separates = |char: char| char.is_whitespace() || ";|&()<>{}`'\"$,=".contains(char);
            let mut parts = word.split(separates).filter(|part| !part.is_empty());
            kind::is_same_program(name, word) && (follows(wanted, behind) || behind.len() == LOOSE_WORDS)
                || word.contains(separates)
                    && parts.by_ref().any(|part| kind::is_same_program(name, part))
                    && wanted.iter().all(|wanted| parts.any(|part| part == *wanted))
        })
    }
}

/// Returns whether the words of a rule occur in this order, with only options and their values between them.
fn follows(wanted: &[&str], words: &[String]) -> bool {
    let mut wanted = wanted.iter().copied().peekable();
    let mut may_be_value = false;
    for word in words {
        match wanted.peek() {
            None => return true,
            Some(next) if next == word => {
                wanted.next();
                may_be_value = false;
            }
            Some(_) if word.starts_with('-') => may_be_value = true,
            Some(_) if may_be_value => may_be_value = false,
            Some(_) => return false,
        }
    }
    wanted.peek().is_none()
}

/// The degree to which a text was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a policy must handle each of these")]
pub enum Certainty {
    /// The name of every program is literal text.
    Whole,
    /// The scan may be incomplete, so deny rules may have missed a program and the command always needs a
    /// question to the user. Examples: an expansion names a program, the text is malformed, or it is nested
    /// too deeply.
    Partial,
}

/// An effect that is dangerous regardless of the rules.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Danger {
    /// Removes a whole tree, or changes the mode or owner of all files in it. For `rm`, `chmod`, `chown` and
    /// `chgrp` the tree is the root, a home folder, a system folder, the working folder or all of its
    /// content; for `find -delete` it is any folder.
    RemovesTree {
        /// The word that names the tree.
        target: String,
    },
    /// Changes the user that runs the command: `sudo`, `su`, `doas`, `pkexec`, `runuser`.
    Escalates,
    /// Lets a shell or an interpreter execute the output of another program: `curl … | sh`.
    FeedsShell,
    /// Executes text that is not literal: `eval`, `source`, or a shell whose text comes from an expansion.
    Evaluates,
    /// Formats, partitions or overwrites a device.
    WritesDevice,
    /// Defines a function that pipes itself into itself.
    ForkBomb,
    /// Opens a connection through the shell's own `/dev/tcp` or `/dev/udp`.
    OpensNetwork,
    /// Stops the machine, or kills all processes.
    StopsSystem,
    /// Writes to a protected name, which decides which code runs later, or to a folder of the system.
    WritesProtected {
        /// The path as written in the command.
        path: String,
    },
}

impl Scan {
    /// Scans any text.
    ///
    /// Time and memory are at most linear in the bytes of the text. The scan of a text that would cost more
    /// ends when its budget is exhausted; see [`Scan::excess`].
    pub fn read(text: &str) -> Self {
        let mut search = Search::new(text.len());
        search.text(text);
        search.finish(text)
    }

    /// Scans a program that is started without a shell, with the same limits as [`Scan::read`].
    pub fn scan_argv(argv: &[String]) -> Self {
        let mut search = Search::new(argv.iter().map(|word| word.len().saturating_add(1)).sum());
        search.argv(argv);
        search.finish("")
    }

    /// Returns every program that was found, wrappers and inner programs alike, in unspecified order.
    pub fn programs(&self) -> &[ProgramStart] {
        &self.found
    }

    /// Returns whether a rule of words applies to any found program; see [`ProgramStart::matches`].
    pub fn runs(&self, rule: &[&str]) -> bool {
        self.found.iter().any(|found| found.matches(rule))
    }

    /// Returns whether a program to which a rule applies may run, even if this is not certain. The name can
    /// be a word of a program that is in no list and that may be a wrapper.
    ///
    /// ```
    /// use windlass_command::Scan;
    /// let scan = Scan::read("frobnicate rm x");
    /// assert!(!scan.runs(&["rm"]) && scan.may_run(&["rm"]));
    /// assert!(!Scan::read("grep rm x").may_run(&["rm"]));
    /// ```
    pub fn may_run(&self, rule: &[&str]) -> bool {
        self.runs(rule) || self.loose.iter().any(|found| found.may_run(rule))
    }

    /// Returns the reason why the command was not assessed to its end, or `None` if it was. Deny rules may
    /// have missed a program in such a command.
    pub fn excess(&self) -> Option<Excess> {
        self.excess
    }

    /// Returns the units of work that the scan spent. Tests use it to check that the cost grows linearly.
    pub fn work(&self) -> usize {
        self.work
    }

    /// Returns the paths that would be written, changed or removed, as written in the command.
    pub fn writes(&self) -> &[String] {
        &self.writes
    }

    /// Returns the effects that are dangerous regardless of the rules, without duplicates.
    pub fn dangers(&self) -> &[Danger] {
        &self.dangers
    }

    /// Returns the degree to which the text was understood.
    pub fn certainty(&self) -> Certainty {
        if self.partial { Certainty::Partial } else { Certainty::Whole }
    }
}
