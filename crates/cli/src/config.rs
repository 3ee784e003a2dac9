//! `windlass config`: shows and changes the settings of `config.toml`.

use std::fmt::Write as _;
use std::process::{Command, ExitCode};

use anyhow::Context as _;
use serde_json::json;
use windlass_app::configuration::{
    ConfigEntry, ConfigKey, ConfigOrigin, Configuration, change_setting, check_configuration,
    user_configuration_file,
};
use windlass_app::{App, variable};
use windlass_hitl::display_safe;

use crate::arguments::{Config, ConfigCommand, ConfigView};
use crate::output;

pub(crate) fn config(arguments: &Config, app: &App) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        ConfigCommand::List { all, view } => {
            let configuration = load(app, view)?;
            let shown = |entry: &&ConfigEntry| *all || entry.is_set() || entry.ignored.is_some() || view.json;
            for entry in configuration.entries().iter().filter(shown) {
                print(entry, view)?;
            }
            if !view.json && !configuration.entries().iter().any(ConfigEntry::is_set) {
                output::note("no file and no variable sets a value; --all lists the settings");
            }
        }
        ConfigCommand::Get { key, view } => {
            let configuration = load(app, view)?;
            let entry = configuration.find(key).with_context(|| unknown(key))?;
            print(entry, view)?;
        }
        ConfigCommand::Set { key, value, profile } => {
            let file = change_setting(app, profile.as_deref(), key, Some(value))?;
            output::note(&format!("{key} is set in {}", file.display()));
        }
        ConfigCommand::Unset { key, profile } => {
            let file = change_setting(app, profile.as_deref(), key, None)?;
            output::note(&format!("{key} is not set in {}", file.display()));
        }
        ConfigCommand::Path => {
            output::print(&format!("{}\n", user_configuration_file(app)?.display()))?;
        }
        ConfigCommand::Edit => edit(app)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn load(app: &App, view: &ConfigView) -> anyhow::Result<Configuration> {
    Ok(Configuration::load(app, &view.root, view.profile.as_deref())?)
}

fn unknown(key: &str) -> String {
    let names: Vec<&str> = ConfigKey::all().iter().map(|key| key.name).collect();
    format!("{} is not a setting; the settings are {}", display_safe(key), names.join(", "))
}

fn print(entry: &ConfigEntry, view: &ConfigView) -> anyhow::Result<()> {
    if view.json {
        return output::line(&json!({
            "key": entry.key.name,
            "value": entry.value,
            "origin": entry.origin,
            "ignored": entry.ignored,
            "about": entry.key.about,
        }));
    }
    let value = entry.value.as_ref().map_or_else(|| "(none)".to_owned(), ToString::to_string);
    let mut text = format!("{} = {}  # {}\n", entry.key.name, display_safe(&value), describe(&entry.origin));
    if let Some(ignored) = &entry.ignored {
        let _ = writeln!(
            text,
            "    {} of {} does not count: {}",
            display_safe(&ignored.value.to_string()),
            ignored.file.display(),
            ignored.reason
        );
    }
    output::print(&text)
}

fn describe(origin: &ConfigOrigin) -> String {
    match origin {
        ConfigOrigin::Default => "default".to_owned(),
        ConfigOrigin::User { file } => file.display().to_string(),
        ConfigOrigin::Profile { name, file } => format!("profile {name} of {}", file.display()),
        ConfigOrigin::Project { file } => format!("project: {}", file.display()),
        ConfigOrigin::Environment { variable } => format!("environment: {variable}"),
        _ => "another source".to_owned(),
    }
}

/// Opens the file in the user's editor. The text of the variable may contain arguments.
fn edit(app: &App) -> anyhow::Result<()> {
    let file = user_configuration_file(app)?;
    let editor = variable("VISUAL").or_else(|| variable("EDITOR"));
    let editor = editor.context("no editor is named: set VISUAL or EDITOR")?;
    let mut words = editor.split_whitespace();
    let program = words.next().context("no editor is named: set VISUAL or EDITOR")?;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    }
    let mut command = Command::new(program);
    command.args(words).arg(&file);
    let status = windlass_sandbox::start_child(|| command.status());
    let status = status.with_context(|| format!("the editor {program} cannot be started"))?;
    anyhow::ensure!(status.success(), "the editor {program} failed");
    check_configuration(app)?;
    Ok(())
}
