//! `windlass hooks list`: the programs that runs start at their points.

use std::process::ExitCode;

use serde_json::json;
use windlass_app::configuration::Configuration;
use windlass_app::hooks::{HookDefinition, HookOwner, load_hooks};
use windlass_app::{App, resolve_root};
use windlass_hitl::display_safe;

use crate::arguments::{Hooks, HooksCommand};
use crate::output;

pub(crate) fn hooks(arguments: &Hooks, app: &App) -> anyhow::Result<ExitCode> {
    let HooksCommand::List { root, json } = &arguments.command;
    let root = resolve_root(root)?;
    let list = load_hooks(app, &root, &Configuration::load(app, &root, None)?)?;
    list.report(app);
    for hook in &list.hooks {
        print(hook, *json)?;
    }
    if list.hooks.is_empty() && !json {
        output::note("no hooks run here");
    }
    Ok(ExitCode::SUCCESS)
}

fn print(hook: &HookDefinition, json: bool) -> anyhow::Result<()> {
    let owner = match hook.owner {
        HookOwner::User => "user",
        _ => "project",
    };
    if json {
        return output::line(&json!({
            "event": hook.event.as_str(),
            "matcher": hook.matcher_text(),
            "command": hook.command,
            "arguments": hook.arguments,
            "timeout_seconds": hook.timeout.as_secs_f64(),
            "owner": owner,
            "file": hook.file,
        }));
    }
    let command = hook.arguments.iter().flatten().fold(hook.command.clone(), |all, word| all + " " + word);
    let matcher = hook.matcher_text();
    let matcher = if matcher.is_empty() { String::new() } else { format!(" {}", display_safe(matcher)) };
    output::print(&format!(
        "{}{matcher}: {}\n  {owner}: {}; at most {} seconds\n",
        hook.event.as_str(),
        display_safe(&command),
        hook.file.display(),
        hook.timeout.as_secs_f64()
    ))
}
