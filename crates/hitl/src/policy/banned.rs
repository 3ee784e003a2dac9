//! Programs that an allow rule must not name alone, because their arguments can be anything.

use windlass_command::{ProgramKind, program_kind};

/// Interpreters whose every argument is code or a command.
const RUNS_ALL: &[&str] = &[".", "at", "batch", "eval", "expect", "source"];

/// Returns true if an allow rule for commands that begin with these words would allow any program to run.
pub(super) fn is_open_ended(argv: &[String]) -> bool {
    let Some((program, rest)) = argv.split_first() else { return false };
    let name = program.rsplit('/').next().unwrap_or(program);
    // `find` alone only reads; the arguments that run programs are checked here.
    if name.eq_ignore_ascii_case("find") {
        return rest.iter().any(|word| word.starts_with("-exec") || word.starts_with("-ok"));
    }
    let bare = rest.first().is_none_or(|word| word.starts_with('-'));
    match program_kind(name) {
        ProgramKind::Wrapper => true,
        ProgramKind::Interpreter => bare || RUNS_ALL.iter().any(|known| name.eq_ignore_ascii_case(known)),
        ProgramKind::Subcommands => bare,
        _ => false,
    }
}

/// Returns whether a program is missing from the lists of known programs. Such a program may run any other
/// program.
pub(super) fn is_unknown(argv: &[String]) -> bool {
    argv.first().is_some_and(|program| program_kind(program) == ProgramKind::Unknown)
}

#[cfg(test)]
mod tests;
