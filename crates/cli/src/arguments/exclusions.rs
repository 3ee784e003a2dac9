//! Options that have no effect on a command, because an earlier run or another program has decided them.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

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

/// Options of one run that a conversation has too, in another form.
#[cfg(feature = "tui")]
const OF_A_CONVERSATION: [&str; 2] = ["resume", "continued"];

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
pub(super) struct IgnoredOptions {
    pub(super) options: Vec<String>,
    pub(super) with: &'static str,
    pub(super) why: &'static str,
}

/// Returns the given options that have no effect, because of the first option that excludes some.
pub(super) fn find_ignored(mut program: Command, matches: &ArgMatches) -> Option<IgnoredOptions> {
    #[cfg(feature = "tui")]
    if matches.subcommand().is_none() {
        let given = list_options(&program, matches);
        let refused = given.into_iter().filter(|(id, _)| is_refused_in_conversation(id));
        let options: Vec<String> = refused.filter_map(|(_, long)| long).collect();
        let why = "tasks and answers are typed";
        return (!options.is_empty()).then_some(IgnoredOptions { options, with: "a conversation", why });
    }
    let (name, of_command) = matches.subcommand()?;
    if let Some((_, with, why)) = SERVICES.into_iter().find(|(service, ..)| *service == name) {
        let given = list_options(program.find_subcommand_mut(name)?, of_command);
        let refused = given.into_iter().filter(|(id, _)| OF_ONE_RUN.contains(&id.as_str()));
        let options: Vec<String> = refused.filter_map(|(_, long)| long).collect();
        return (!options.is_empty()).then_some(IgnoredOptions { options, with, why });
    }
    let (command, run) = match (name, of_command.subcommand()) {
        ("run", _) => (vec!["run"], of_command),
        ("workflow", Some(("run", run))) => (vec!["workflow", "run"], run),
        _ => return None,
    };
    let definition = command.iter().try_fold(&mut program, |at, name| at.find_subcommand_mut(name))?;
    let given = list_options(definition, run);
    EXCLUSIONS.into_iter().find_map(|Exclusion { id, option, accepted, why }| {
        given.iter().find(|(given, _)| given == id)?;
        let others = given.iter().filter(|(given, _)| !accepted.contains(&given.as_str()));
        let options: Vec<String> = others.filter_map(|(_, long)| long.clone()).collect();
        (!options.is_empty()).then_some(IgnoredOptions { options, with: option, why })
    })
}

/// Returns true if an option has no effect on a conversation.
#[cfg(feature = "tui")]
pub(super) fn is_refused_in_conversation(id: &str) -> bool {
    OF_ONE_RUN.contains(&id) && !OF_A_CONVERSATION.contains(&id)
}

/// Returns the given arguments of a command: their ids, and how the user writes them.
fn list_options(definition: &Command, matches: &ArgMatches) -> Vec<(String, Option<String>)> {
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
mod tests;
