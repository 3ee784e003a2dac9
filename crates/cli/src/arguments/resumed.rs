//! Options that a run ignores, because they were decided earlier or are decided elsewhere.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use windlass_app::App;

use super::defaults::add_defaults;
use super::{Command, Windlass};
use crate::output;

/// Options of the process that are not stored with the run, so a resumed run accepts them. The list contains
/// the names of the options' fields, which clap uses as ids.
const OF_THE_PROCESS: [&str; 22] = [
    "print",
    "output_last_message",
    "retries",
    "resume",
    "replay",
    "salvage",
    "json",
    "config",
    "proxy",
    "ca_file",
    "otlp_url",
    "content",
    "yes",
    "ask",
    "deny",
    "suspend",
    "approve_in",
    "retry_for",
    "store",
    "engine",
    "content_folder",
    "key_file",
];

/// Options that count for the process that starts or shows a run of a durable engine.
const OF_THE_ENGINE: [&str; 14] = [
    "print",
    "resume",
    "json",
    "yes",
    "ask",
    "deny",
    "suspend",
    "approve_in",
    "root",
    "engine",
    "content_folder",
    "key_file",
    "queue",
    "model_queue",
];

/// An option with which other options of the command have no effect.
struct Exclusion {
    /// The id of the option.
    id: &'static str,
    option: &'static str,
    /// The ids of the options that keep their effect.
    accepted: &'static [&'static str],
    why: &'static str,
}

/// Options that a run can have when it continues a session.
const OF_A_CONTINUATION: [&str; 34] = [
    "print",
    "output_last_message",
    "schema",
    "max_cost",
    "effort",
    "retries",
    "continued",
    "task",
    "image",
    "file",
    "record",
    "model",
    "provider",
    "base_url",
    "wire",
    "mode",
    "autonomy",
    "preset",
    "max_turns",
    "json",
    "config",
    "proxy",
    "ca_file",
    "otlp_url",
    "content",
    "yes",
    "ask",
    "deny",
    "suspend",
    "approve_in",
    "learn",
    "retry_for",
    "store",
    "salvage",
];

/// Options of `run` that belong to one run in this process, and have no effect on runs that clients start.
pub(super) const OF_ONE_RUN: [&str; 25] = [
    "print",
    "output_last_message",
    "schema",
    "task",
    "image",
    "file",
    "resume",
    "continued",
    "salvage",
    "record",
    "replay",
    "json",
    "yes",
    "ask",
    "deny",
    "suspend",
    "approve_in",
    "learn",
    "otlp_url",
    "content",
    "engine",
    "content_folder",
    "key_file",
    "queue",
    "model_queue",
];

const STARTED: &str = "the run goes on with the settings that it was started with";

const EXCLUSIONS: [Exclusion; 4] = [
    Exclusion {
        id: "engine",
        option: "--engine",
        accepted: &OF_THE_ENGINE,
        why: "the options of the worker count for the run",
    },
    Exclusion { id: "resume", option: "--resume", accepted: &OF_THE_PROCESS, why: STARTED },
    Exclusion {
        id: "continued",
        option: "--continue",
        accepted: &OF_A_CONTINUATION,
        why: "the new run keeps the other settings of the session",
    },
    Exclusion { id: "replay", option: "--replay", accepted: &OF_THE_PROCESS, why: STARTED },
];

/// Commands that serve clients, with the reason for which they refuse the options of one run.
const SERVICES: [(&str, &str, &str); 2] = [
    ("serve", "serve", "tasks are started and questions are answered on the page"),
    ("acp", "acp", "the editor sends the tasks and answers the questions"),
];

/// Options that were given and have no effect.
#[derive(Debug, PartialEq, Eq)]
struct IgnoredOptions {
    options: Vec<String>,
    with: &'static str,
    why: &'static str,
}

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
    if let Some(IgnoredOptions { options, with, why }) = find_refused(&matches) {
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

/// Returns the given options that have no effect. For a run they are the options that the first given option of
/// `EXCLUSIONS` excludes.
fn find_refused(matches: &ArgMatches) -> Option<IgnoredOptions> {
    #[cfg(feature = "tui")]
    if matches.subcommand().is_none() {
        let given = list_options(&Windlass::command(), matches);
        let refused = given.into_iter().filter(|(id, _)| super::chat::is_refused(id));
        let options: Vec<String> = refused.filter_map(|(_, long)| long).collect();
        let why = "tasks and answers are typed";
        return (!options.is_empty()).then_some(IgnoredOptions { options, with: "a conversation", why });
    }
    let (name, of_command) = matches.subcommand()?;
    if let Some((_, with, why)) = SERVICES.into_iter().find(|(service, ..)| *service == name) {
        let mut definition = Windlass::command();
        let given = list_options(definition.find_subcommand_mut(name)?, of_command);
        let refused = given.into_iter().filter(|(id, _)| OF_ONE_RUN.contains(&id.as_str()));
        let options: Vec<String> = refused.filter_map(|(_, long)| long).collect();
        return (!options.is_empty()).then_some(IgnoredOptions { options, with, why });
    }
    let (command, run) = match (name, of_command.subcommand()) {
        ("run", _) => (vec!["run"], of_command),
        ("workflow", Some(("run", run))) => (vec!["workflow", "run"], run),
        _ => return None,
    };
    let mut definition = Windlass::command();
    let definition = command.iter().try_fold(&mut definition, |at, name| at.find_subcommand_mut(name))?;
    let given = list_options(definition, run);
    EXCLUSIONS.into_iter().find_map(|Exclusion { id, option, accepted, why }| {
        given.iter().find(|(given, _)| given == id)?;
        let others = given.iter().filter(|(given, _)| !accepted.contains(&given.as_str()));
        let options: Vec<String> = others.filter_map(|(_, long)| long.clone()).collect();
        (!options.is_empty()).then_some(IgnoredOptions { options, with: option, why })
    })
}

/// Returns the given arguments of a command: their ids, and how the user writes them.
fn list_options(definition: &clap::Command, matches: &ArgMatches) -> Vec<(String, Option<String>)> {
    let given = definition.get_arguments().filter(|argument| {
        matches.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine)
    });
    given
        .map(|argument| {
            let long = argument.get_long().map(|long| format!("--{long}"));
            (argument.get_id().to_string(), long)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Windlass, find_command, find_refused};

    fn find_in(line: &str) -> Vec<String> {
        let matches = Windlass::command().try_get_matches_from(line.split(' ')).unwrap();
        find_refused(&matches).map(|refused| refused.options).unwrap_or_default()
    }

    #[test]
    fn a_resumed_run_refuses_its_own_settings_by_name() {
        let line =
            "windlass run --resume 1-2 --model m --max-turns 3 --mode ask --preset minimal --json --yes";
        assert_eq!(find_in(line), ["--model", "--mode", "--preset", "--max-turns"]);
        assert_eq!(find_in("windlass run --replay f --autonomy auto-edit"), ["--autonomy"]);
        assert_eq!(find_in("windlass workflow run --resume 1-2 --root x"), ["--root"]);
    }

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
    fn a_continued_session_takes_what_may_change_and_refuses_the_rest_by_name() {
        let line = "windlass run more --continue last --model m --autonomy auto-edit --mode ask --preset full --json";
        assert_eq!(find_in(line), [""; 0]);
        assert_eq!(find_in(&format!("{line} --root x --policy p")), ["--root", "--policy"]);
    }

    #[cfg(all(feature = "acp", feature = "server"))]
    #[test]
    fn commands_that_serve_clients_refuse_the_options_of_one_run_by_name() {
        for command in ["serve", "acp"] {
            assert_eq!(find_in(&format!("windlass {command} --model m --proxy p --store s")), [""; 0]);
            let line = format!("windlass {command} --resume 1-2 --json --yes --learn --otlp u");
            assert_eq!(find_in(&line), ["--resume", "--yes", "--learn", "--otlp", "--json"]);
        }
    }

    #[cfg(feature = "tui")]
    #[test]
    fn a_conversation_takes_settings_and_sessions_and_refuses_the_rest_by_name() {
        assert_eq!(find_in("windlass --model m --resume"), [""; 0]);
        assert_eq!(find_in("windlass --model m --continue 17"), [""; 0]);
        assert_eq!(find_in("windlass --model m --json --yes"), ["--yes", "--json"]);
    }

    #[test]
    fn options_of_the_process_are_taken() {
        let line =
            "windlass run --resume 1-2 --salvage --json --config f --proxy p --ca-file c --otlp u --suspend";
        assert!(find_in(line).is_empty());
        assert!(find_in("windlass run task --model m --max-turns 3").is_empty());
    }

    #[test]
    fn every_option_of_the_process_exists() {
        let command = Windlass::command();
        let run = command.find_subcommand("run").unwrap();
        let lists = super::OF_THE_PROCESS.into_iter().chain(super::OF_THE_ENGINE);
        for id in lists.chain(super::OF_A_CONTINUATION).chain(super::OF_ONE_RUN) {
            assert!(run.get_arguments().any(|argument| argument.get_id() == id), "{id}");
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

    #[test]
    fn a_run_of_an_engine_is_resumed_with_the_options_of_its_connection() {
        let line = "windlass run --resume run-1 --engine temporal://h:1/d --content c --key-file k --suspend";
        assert_eq!(find_in(line), [""; 0]);
        assert_eq!(find_in(&format!("{line} --queue q")), ["--queue"]);
    }

    #[test]
    fn a_run_of_an_engine_refuses_the_options_of_its_worker() {
        let line =
            "windlass run task --engine temporal://h:1/d --queue q --model-queue m --root x --json --yes";
        assert_eq!(find_in(line), [""; 0]);
        assert_eq!(find_in(&format!("{line} --model m --store s")), ["--store", "--model"]);
    }
}
