//! Settings and options have the same names and defaults.

use clap::CommandFactory;
use windlass_app::configuration::ConfigKey;

use super::super::Windlass;
use super::OPTIONS;

/// Settings that are not options of a run.
const WITHOUT_OPTION: [&str; 7] = [
    "profile",
    "hooks.may_permit",
    "hooks.claude_settings",
    "notify.command",
    "notify.webhook",
    "theme",
    "fullscreen",
];

#[test]
fn every_setting_is_an_option_with_the_same_default() {
    let command = Windlass::command();
    let run = command.find_subcommand("run").unwrap();
    for key in ConfigKey::all() {
        let Some((_, option)) = OPTIONS.iter().find(|(name, _)| *name == key.name) else {
            assert!(WITHOUT_OPTION.contains(&key.name), "{}", key.name);
            continue;
        };
        let argument = run.get_arguments().find(|argument| argument.get_id() == option);
        let argument = argument.unwrap_or_else(|| panic!("{option}"));
        let defaults = argument.get_default_values().first().and_then(|value| value.to_str());
        if argument.get_action().takes_values() {
            assert_eq!(defaults, key.default, "{}", key.name);
        }
    }
    for (name, _) in OPTIONS {
        assert!(ConfigKey::find(name).is_some(), "{name}");
    }
}

#[test]
fn every_command_that_runs_an_agent_takes_the_defaults() {
    let command = Windlass::command();
    for path in [&["run"][..], &["serve"], &["acp"], &["mcp", "serve"], &["workflow", "run"]] {
        let found = path.iter().try_fold(&command, |at, name| at.find_subcommand(name)).unwrap();
        assert!(found.get_arguments().any(|argument| argument.get_id() == super::PROFILE), "{path:?}");
    }
}
