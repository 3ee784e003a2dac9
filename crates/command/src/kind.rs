//! Kinds of programs by name. The kind decides whether the words of a program show its effects.

mod tables;
pub(crate) mod wrappers;

use std::collections::HashMap;
use std::sync::LazyLock;

use tables::{INTERPRETERS, PLAIN, SHELLS, SUBCOMMANDS};
use wrappers::Wrapper;

/// The kind of a program, recognised by its name.
///
/// The folder, the case and the endings `.exe`, `.com`, `.cmd` and `.bat` of the name are ignored. For
/// programs that can run other code, a version is ignored too (`python3.11`, `node20`), and for wrappers the
/// prefix `g` of GNU tools on other systems (`gxargs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProgramKind {
    /// Only reads, or only writes files that its words name. It does not run other programs.
    Plain,
    /// Runs the program that its own words name: `env`, `prlimit`, `busybox`.
    Wrapper,
    /// Runs code: shells, interpreters, and programs with a built-in language or shell escape (`awk`, `vim`).
    Interpreter,
    /// Has sub-commands with different effects, and runs other programs for some of them: `git`, `cargo`,
    /// `npm`.
    Subcommands,
    /// Not in any list of this crate. It may run any program.
    Unknown,
}

/// Returns the key of a program in the tables: without folder, in lower case, without a Windows ending.
pub(crate) fn table_name(program: &str) -> String {
    let name = base_name(program).to_ascii_lowercase();
    let end = [".exe", ".com", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end));
    end.filter(|stem| !stem.is_empty()).map_or(name.clone(), str::to_owned)
}

/// Returns the last component of a path; both `/` and `\` are separators.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the kind of the program with this name.
///
/// ```
/// use windlass_command::{ProgramKind, program_kind};
/// assert_eq!(program_kind("/usr/bin/python3.11"), ProgramKind::Interpreter);
/// assert_eq!(program_kind("prlimit"), ProgramKind::Wrapper);
/// assert_eq!(program_kind("ls"), ProgramKind::Plain);
/// assert_eq!(program_kind("frobnicate"), ProgramKind::Unknown);
/// ```
pub fn program_kind(program: &str) -> ProgramKind {
    match find_program(&table_name(program)) {
        Some(ProgramEntry::Wrapper(_)) => ProgramKind::Wrapper,
        Some(ProgramEntry::Shell | ProgramEntry::Interpreter) => ProgramKind::Interpreter,
        Some(ProgramEntry::Subcommands) => ProgramKind::Subcommands,
        Some(ProgramEntry::Plain) => ProgramKind::Plain,
        None => ProgramKind::Unknown,
    }
}

/// The table entry of a program.
#[derive(Clone, Copy)]
enum ProgramEntry {
    Wrapper(&'static Wrapper),
    Shell,
    Interpreter,
    Subcommands,
    Plain,
}

/// All tables as one hash table, because every word of a command can be the name of a program.
static KNOWN: LazyLock<HashMap<&'static str, ProgramEntry>> = LazyLock::new(|| {
    let plain = PLAIN.iter().copied().chain(crate::effects::names()).map(|name| (name, ProgramEntry::Plain));
    let subcommands = SUBCOMMANDS.iter().map(|&name| (name, ProgramEntry::Subcommands));
    let interpreters = INTERPRETERS.iter().map(|&name| (name, ProgramEntry::Interpreter));
    let shells = SHELLS.iter().map(|&name| (name, ProgramEntry::Shell));
    let wrappers = wrappers::WRAPPERS.iter().map(|wrapper| (wrapper.name, ProgramEntry::Wrapper(wrapper)));
    // For a name in several tables, the last table has precedence.
    plain.chain(subcommands).chain(interpreters).chain(shells).chain(wrappers).collect()
});

/// Looks up a name: first exactly, then without its version, then without the prefix `g`, then by its shape.
fn find_program(name: &str) -> Option<ProgramEntry> {
    let exact = |name: &str| KNOWN.get(name).copied();
    let versioned = || exact(strip_version(name)?).filter(|known| !matches!(known, ProgramEntry::Plain));
    let gnu = || exact(name.strip_prefix('g')?).filter(|known| matches!(known, ProgramEntry::Wrapper(_)));
    let shape = || {
        let python = ["python", "pypy"].iter().any(|stem| name.contains(stem));
        if python {
            Some(ProgramEntry::Interpreter)
        } else {
            wrappers::find_by_shape(name).map(ProgramEntry::Wrapper)
        }
    };
    exact(name).or_else(versioned).or_else(gnu).or_else(shape)
}

/// Returns whether a table name is that of a shell.
pub(crate) fn is_shell(name: &str) -> bool {
    matches!(find_program(name), Some(ProgramEntry::Shell))
}

/// Returns whether a table name is that of an interpreter other than a shell.
pub(crate) fn is_interpreter(name: &str) -> bool {
    matches!(find_program(name), Some(ProgramEntry::Interpreter))
}

/// Returns whether an interpreter executes its standard input as code if its words do not name a file.
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

/// Returns the wrapper with this table name.
pub(crate) fn wrapper(name: &str) -> Option<&'static Wrapper> {
    match find_program(name) {
        Some(ProgramEntry::Wrapper(wrapper)) => Some(wrapper),
        _ => None,
    }
}

/// Returns whether the program of a rule is this program: the same name in any case, or the same interpreter
/// or shell with a version.
pub(crate) fn is_same_program(rule: &str, program: &str) -> bool {
    let (rule, program) = (base_name(rule), base_name(program));
    if rule.eq_ignore_ascii_case(program) {
        return true;
    }
    // Fast path: nearly every word is rejected here.
    let begins = program.get(..rule.len()).is_some_and(|start| start.eq_ignore_ascii_case(rule));
    if !begins && !rule.contains('.') {
        return false;
    }
    let (rule, program) = (table_name(rule), table_name(program));
    let version = program.strip_prefix(rule.as_str()).unwrap_or_default();
    rule == program
        || is_version(version)
            && matches!(find_program(&rule), Some(ProgramEntry::Shell | ProgramEntry::Interpreter))
}

/// Returns a name without its version, or `None` if it has no version. Examples with one are `python3.11`,
/// `lua5.4`, `node-20`, `python3.13t` and `php8.3-cgi`.
fn strip_version(name: &str) -> Option<&str> {
    let at = name.find(|char: char| char.is_ascii_digit())?;
    let (stem, version) = name.split_at(at);
    let stem = stem.trim_end_matches(['-', '_']);
    (!stem.is_empty() && is_version(version)).then_some(stem)
}

/// Returns whether a text is a version: digits and dots, then optionally one lower-case letter for the build,
/// or a suffix that begins with `-`, `_`, `m` or `t`.
fn is_version(text: &str) -> bool {
    let text = text.trim_start_matches(['-', '_']);
    let digits = text.trim_start_matches(|char: char| char.is_ascii_digit() || char == '.');
    let build = digits.len() <= 1 && digits.chars().all(|char| char.is_ascii_lowercase());
    digits.len() < text.len() && (build || digits.starts_with(['-', '_', 'm', 't']) && digits.is_ascii())
}

#[cfg(test)]
mod tests;
