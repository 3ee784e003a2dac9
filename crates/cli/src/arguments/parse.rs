//! Parses the command line, with the user's settings as the defaults of its options.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use windlass_app::App;

use super::defaults::add_defaults;
use super::exclusions::{IgnoredOptions, find_ignored};
use super::{Command, Windlass};
use crate::output;

/// Parses the command line, with the user's settings as the defaults of its options. Ends the process with a usage error,
/// as [`clap::Parser::parse`] does.
///
/// Besides what clap checks, `run --resume` and `run --replay` refuse every option that is part of the run's
/// own settings, and `run --engine` every option that is the worker's: they would be ignored silently.
///
/// # Errors
///
/// Fails if the user's settings are invalid.
pub(crate) fn parse(app: &App) -> anyhow::Result<Windlass> {
    let mut matches = Windlass::command().try_get_matches().unwrap_or_else(|error| refuse(&error));
    if let Some(IgnoredOptions { options, with, why }) = find_ignored(Windlass::command(), &matches) {
        let words = format!("{} cannot be given with {with}: {why}", options.join(", "));
        refuse(&find_command(&matches).error(ErrorKind::ArgumentConflict, words));
    }
    if let Some(command) = add_defaults(Windlass::command(), &matches, app)? {
        matches = command.try_get_matches().unwrap_or_else(|error| refuse(&error));
    }
    let mut parsed = Windlass::from_arg_matches(&matches).unwrap_or_else(|error| refuse(&error));
    if let (Some(Command::Run(run)), Some((_, given))) = (&mut parsed.command, matches.subcommand()) {
        run.given = list_given(given);
    }
    Ok(parsed)
}

/// Returns the command of the command line, with its whole name, so that an error shows its usage.
fn find_command(matches: &ArgMatches) -> clap::Command {
    let mut command = Windlass::command();
    command.build();
    let mut at = matches;
    while let Some((name, inner)) = at.subcommand() {
        let Some(found) = command.find_subcommand(name).cloned() else { break };
        (command, at) = (found, inner);
    }
    command
}

/// Returns the ids of the arguments that the command line gives, without those that have their default value.
fn list_given(matches: &ArgMatches) -> Vec<String> {
    let ids = matches.ids().map(clap::Id::as_str);
    let is_given = |id: &&str| {
        matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    ids.filter(is_given).map(str::to_owned).collect()
}

/// Ends the process with the help of the program, because no command was given.
#[cfg(feature = "tui")]
pub(crate) fn refuse_without_command() -> ! {
    let mut command = Windlass::command();
    let help = command.render_help().to_string();
    refuse(&command.error(ErrorKind::MissingSubcommand, format!("a command is missing\n\n{help}")))
}

/// Ends the process with help, the version or an error. An error message quotes the arguments, so it is
/// escaped for the terminal like all other output.
fn refuse(error: &clap::Error) -> ! {
    if error.exit_code() == 0 {
        error.exit();
    }
    output::note(error.render().to_string().trim_end());
    std::process::exit(error.exit_code());
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Windlass, find_command};

    #[test]
    fn a_refusal_shows_the_usage_of_its_command() {
        let mut lines = vec![("windlass run --resume 1-2 --model m", "Usage: windlass run ")];
        if cfg!(feature = "workflow") {
            lines.push(("windlass workflow run --resume 1-2 --root x", "Usage: windlass workflow run "));
        }
        for (line, usage) in lines {
            let matches = Windlass::command().try_get_matches_from(line.split(' ')).unwrap();
            let error = find_command(&matches).error(clap::error::ErrorKind::ArgumentConflict, "no");
            let text = error.render().to_string();
            assert!(text.contains(usage), "{line}: {text}");
        }
    }

    #[test]
    fn every_command_has_consistent_arguments() {
        Windlass::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example_in_its_help() {
        /// Returns the commands without an example.
        fn list(command: &clap::Command, path: &str) -> Vec<String> {
            let path = format!("{path} {}", command.get_name());
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            // A command that this build lacks has no help.
            let has_help = |inner: &&clap::Command| !inner.is_hide_set() && !inner.is_disable_help_flag_set();
            let inner = command.get_subcommands().filter(has_help);
            let mut without: Vec<String> = inner.flat_map(|inner| list(inner, &path)).collect();
            if !help.contains("Example") && !help.contains("Begin with") {
                without.push(path);
            }
            without
        }
        assert_eq!(list(&Windlass::command(), ""), [""; 0]);
    }
}
