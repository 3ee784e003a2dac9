//! What kind of program a name stands for: whether what it does can be told from its words.

mod tables;
pub(crate) mod wrappers;

use std::collections::HashMap;
use std::sync::LazyLock;

use tables::{INTERPRETERS, PLAIN, SHELLS, SUBCOMMANDS};
use wrappers::Wrapper;

/// What kind of program a name stands for.
///
/// A name is recognised by its kind and not by its spelling: folder, case, `.exe`, version (`python3.11`, `node20`) and
/// the prefix of GNU tools on other systems (`gxargs`) do not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProgramKind {
    /// Only reads, or only writes what its words name. It runs no other program.
    Plain,
    /// Runs the program that its own words name: `env`, `prlimit`, `busybox`.
    Wrapper,
    /// Runs code: shells, interpreters, and programs with a language or a shell escape inside (`awk`, `vim`, `less`).
    Interpreter,
    /// Does something else for each sub-command, and runs other programs for some of them: `git`, `cargo`, `npm`.
    Subcommands,
    /// No list here has it. It decides itself what it runs.
    Unknown,
}

/// The name under which tables know a program: without folder, in lower case, without the ending of Windows.
pub(crate) fn table_name(program: &str) -> String {
    let name = base_name(program).to_ascii_lowercase();
    let end = [".exe", ".com", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end));
    end.filter(|stem| !stem.is_empty()).map_or(name.clone(), str::to_owned)
}

/// The last name of a path.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns what kind of program a name stands for.
///
/// ```
/// use windlass_command::{ProgramKind, program_kind};
/// assert_eq!(program_kind("/usr/bin/python3.11"), ProgramKind::Interpreter);
/// assert_eq!(program_kind("prlimit"), ProgramKind::Wrapper);
/// assert_eq!(program_kind("ls"), ProgramKind::Plain);
/// assert_eq!(program_kind("frobnicate"), ProgramKind::Unknown);
/// ```
pub fn program_kind(program: &str) -> ProgramKind {
    match known(&table_name(program)) {
        Some(Known::Wrapper(_)) => ProgramKind::Wrapper,
        Some(Known::Shell | Known::Interpreter) => ProgramKind::Interpreter,
        Some(Known::Subcommands) => ProgramKind::Subcommands,
        Some(Known::Plain) => ProgramKind::Plain,
        None => ProgramKind::Unknown,
    }
}

/// What the tables say about a name.
#[derive(Clone, Copy)]
enum Known {
    Wrapper(&'static Wrapper),
    Shell,
    Interpreter,
    Subcommands,
    Plain,
}

/// All tables by name: a command can name a program with every word.
static KNOWN: LazyLock<HashMap<&'static str, Known>> = LazyLock::new(|| {
    let plain = PLAIN.iter().copied().chain(crate::effects::names()).map(|name| (name, Known::Plain));
    let subcommands = SUBCOMMANDS.iter().map(|&name| (name, Known::Subcommands));
    let interpreters = INTERPRETERS.iter().map(|&name| (name, Known::Interpreter));
    let shells = SHELLS.iter().map(|&name| (name, Known::Shell));
    let wrappers = wrappers::WRAPPERS.iter().map(|wrapper| (wrapper.name, Known::Wrapper(wrapper)));
    // A later table wins.
    plain.chain(subcommands).chain(interpreters).chain(shells).chain(wrappers).collect()
});

/// What the tables say about a name, its version, or its shape.
fn known(name: &str) -> Option<Known> {
    let exact = |name: &str| KNOWN.get(name).copied();
    let versioned = || exact(unversioned(name)?).filter(|known| !matches!(known, Known::Plain));
    let gnu = || exact(name.strip_prefix('g')?).filter(|known| matches!(known, Known::Wrapper(_)));
    let shape = || {
        let python = ["python", "pypy"].iter().any(|stem| name.contains(stem));
        if python { Some(Known::Interpreter) } else { wrappers::by_shape(name).map(Known::Wrapper) }
    };
    exact(name).or_else(versioned).or_else(gnu).or_else(shape)
}

/// Whether a table's name is a shell's.
pub(crate) fn is_shell(name: &str) -> bool {
    matches!(known(name), Some(Known::Shell))
}

/// Whether a table's name is an interpreter's that is not a shell.
pub(crate) fn is_interpreter(name: &str) -> bool {
    matches!(known(name), Some(Known::Interpreter))
}

/// Whether an interpreter takes its input for code where no file is named.
pub(crate) fn runs_its_input(name: &str) -> bool {
    is_interpreter(name)
        && !name.ends_with("awk")
        && !matches!(
            name,
            "less"
                | "more"
                | "most"
                | "pg"
                | "man"
                | "info"
                | "top"
                | "htop"
                | "mail"
                | "mailx"
                | "mutt"
                | "lynx"
                | "w3m"
                | "openssl"
                | "dc"
                | "vim"
                | "vi"
                | "nvim"
                | "view"
                | "rvim"
                | "gvim"
                | "emacs"
                | "emacsclient"
                | "nano"
                | "pico"
                | "micro"
                | "joe"
                | "mc"
                | "ranger"
                | "tmux"
                | "screen"
                | "dtach"
                | "java"
                | "telnet"
                | "psql"
                | "mysql"
                | "mariadb"
                | "mongosh"
                | "redis-cli"
                | "ed"
                | "gdb"
                | "lldb"
                | "eval"
                | "source"
                | "."
        )
}

/// The wrapper of a table's name.
pub(crate) fn wrapper(name: &str) -> Option<&'static Wrapper> {
    match known(name) {
        Some(Known::Wrapper(wrapper)) => Some(wrapper),
        _ => None,
    }
}

/// Whether a rule's program is this program: the same name in any case, or the same interpreter in another version.
pub(crate) fn is_same_program(rule: &str, program: &str) -> bool {
    let (rule, program) = (base_name(rule), base_name(program));
    if rule.eq_ignore_ascii_case(program) {
        return true;
    }
    // Nearly every word is done with here.
    let begins = program.get(..rule.len()).is_some_and(|start| start.eq_ignore_ascii_case(rule));
    if !begins && !rule.contains('.') {
        return false;
    }
    let (rule, program) = (table_name(rule), table_name(program));
    let version = program.strip_prefix(rule.as_str()).unwrap_or_default();
    rule == program || is_version(version) && matches!(known(&rule), Some(Known::Shell | Known::Interpreter))
}

/// The name without its version: `python3.11`, `lua5.4`, `node-20`, `python3.13t`, `php8.3-cgi`. `None` where it has none.
fn unversioned(name: &str) -> Option<&str> {
    let at = name.find(|char: char| char.is_ascii_digit())?;
    let (stem, version) = name.split_at(at);
    let stem = stem.trim_end_matches(['-', '_']);
    (!stem.is_empty() && is_version(version)).then_some(stem)
}

/// Digits and dots, then perhaps a letter for the build or a word behind a dash.
fn is_version(text: &str) -> bool {
    let text = text.trim_start_matches(['-', '_']);
    let digits = text.trim_start_matches(|char: char| char.is_ascii_digit() || char == '.');
    let build = digits.len() <= 1 && digits.chars().all(|char| char.is_ascii_lowercase());
    digits.len() < text.len() && (build || digits.starts_with(['-', '_', 'm', 't']) && digits.is_ascii())
}

#[cfg(test)]
mod tests;
