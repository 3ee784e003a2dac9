//! The defaults of `config.toml`, as defaults of the options of every command that runs an agent.

use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use windlass_app::App;
use windlass_app::configuration::{ConfigEntry, ConfigOrigin, ConfigValue, Configuration};

use crate::paint::choose_theme;

/// The option that marks a command as one that takes the defaults.
const PROFILE: &str = "profile";

/// Settings and the options whose defaults they are, by their ids. `mcp` and `checkpoints` are switched off by theirs.
const OPTIONS: [(&str, &str); 27] = [
    ("provider", "provider"),
    ("base_url", "base_url"),
    ("wire", "wire"),
    ("model", "model"),
    ("fallback", "fallback"),
    ("effort", "effort"),
    ("max_tokens", "max_tokens"),
    ("mode", "mode"),
    ("autonomy", "autonomy"),
    ("preset", "preset"),
    ("sandbox", "sandbox"),
    ("policy", "policy"),
    ("tools", "tools"),
    ("disabled_tools", "disabled"),
    ("features", "features"),
    ("mcp", "no_mcp"),
    ("checkpoints", "no_checkpoints"),
    ("until_done", "until_done"),
    ("max_turns", "max_turns"),
    ("max_cost", "max_cost"),
    ("context_window", "context_window"),
    ("retry_for", "retry_for"),
    ("budget.requests", "ask_after_requests"),
    ("budget.cost", "ask_after_cost"),
    ("budget.tokens", "ask_after_tokens"),
    ("budget.seconds", "ask_after_seconds"),
    ("learning.enabled", "learn"),
];

/// Settings that belong to one provider. They do not count if the command line names another endpoint.
const OF_A_PROVIDER: [&str; 5] = ["provider", "base_url", "wire", "model", "fallback"];

/// Returns the command line with the user's defaults, or `None` if the command takes none.
///
/// Every command that runs an agent passes through here, so all of them have the same precedence: options, environment,
/// project, user.
///
/// # Errors
///
/// Fails if a file or a variable of the user is invalid, or if the named profile does not exist.
pub(super) fn add_defaults(
    command: Command,
    matches: &ArgMatches,
    app: &App,
) -> anyhow::Result<Option<Command>> {
    let (path, given) = descend(matches);
    if given.try_contains_id(PROFILE).is_err() {
        return Ok(None);
    }
    let profile = given.get_one::<String>(PROFILE).map(String::as_str);
    let root =
        given.get_one::<std::path::PathBuf>("root").map_or(Path::new("."), std::path::PathBuf::as_path);
    let configuration = Configuration::load(app, root, profile)?;
    choose_theme(configuration.text("theme"));
    let is_given = |id: &str| {
        given.try_contains_id(id).is_ok() && given.value_source(id) == Some(ValueSource::CommandLine)
    };
    let has_endpoint = ["provider", "base_url", "wire"].into_iter().any(is_given);
    let mut defaults = Vec::new();
    for (name, option) in OPTIONS {
        let Some(entry) = configuration.find(name).filter(|entry| entry.is_set()) else { continue };
        let is_variable = matches!(entry.origin, ConfigOrigin::Environment { .. });
        let belongs_elsewhere = has_endpoint && OF_A_PROVIDER.contains(&name) && !is_variable;
        // `[learning]` is read where the answers are.
        if !belongs_elsewhere && name != "learning.enabled" {
            defaults.extend(words(entry).map(|words| (option, words)));
        }
    }
    configuration.report_ignored(app);
    Ok(Some(apply(command, &path, &defaults)))
}

/// Returns the names of the given command and of its sub-commands, and the arguments of the last one.
fn descend(matches: &ArgMatches) -> (Vec<String>, &ArgMatches) {
    let (mut path, mut at) = (Vec::new(), matches);
    while let Some((name, inner)) = at.subcommand() {
        path.push(name.to_owned());
        at = inner;
    }
    (path, at)
}

/// Returns the values of an option that a setting gives.
fn words(entry: &ConfigEntry) -> Option<Vec<String>> {
    match entry.value.as_ref()? {
        ConfigValue::List(items) => Some(items.clone()),
        ConfigValue::Boolean(value) => {
            let is_inverted = ["mcp", "checkpoints"].contains(&entry.key.name);
            Some(vec![(*value != is_inverted).to_string()])
        }
        value => Some(vec![value.to_string()]),
    }
}

/// Sets the defaults of the options of one command.
fn apply(command: Command, path: &[String], defaults: &[(&'static str, Vec<String>)]) -> Command {
    let Some((name, rest)) = path.split_first() else {
        return command.mut_args(|argument| {
            let of_argument = defaults.iter().find(|(id, _)| argument.get_id() == id);
            match of_argument {
                // Leak the few values, because clap needs them until the process ends.
                Some((_, words)) => argument.default_values(words.iter().map(|word| &*word.clone().leak())),
                None => argument,
            }
        });
    };
    command.mut_subcommand(name, |inner| apply(inner, rest, defaults))
}

#[cfg(test)]
mod tests;
