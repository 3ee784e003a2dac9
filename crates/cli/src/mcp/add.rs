//! `windlass mcp add` and `mcp remove`: servers in the user's `config.toml`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use windlass_app::App;
use windlass_app::mcp::{ServerEntry, add_to_user_config, remove_from_user_config};
use windlass_hitl::display_safe;

use crate::arguments::McpAdd;
use crate::output;

pub(crate) fn add(arguments: McpAdd, app: &App) -> anyhow::Result<ExitCode> {
    let mut entry = ServerEntry::default();
    let mut words = arguments.command.into_iter();
    entry.command = words.next();
    entry.args = words.collect();
    entry.url = arguments.url;
    entry.env = arguments.env.into_iter().collect();
    entry.env_vars = arguments.inherit;
    entry.bearer_token_env_var = arguments.bearer_token_env;
    entry.http_headers = arguments.header.into_iter().collect();
    entry.enabled = true;
    let entries = BTreeMap::from([(arguments.name.clone(), entry)]);
    let file = add_to_user_config(app, &entries, arguments.force)?;
    output::print(&format!("{} has {}\n", file.display(), display_safe(&arguments.name)))?;
    output::note(&format!("try it with: windlass mcp tools {}", display_safe(&arguments.name)));
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn remove(name: &str, app: &App) -> anyhow::Result<ExitCode> {
    let file = remove_from_user_config(app, name)?;
    output::print(&format!("{} has {} no more\n", file.display(), display_safe(name)))?;
    Ok(ExitCode::SUCCESS)
}
