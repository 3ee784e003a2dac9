//! `windlass agents`: lists and shows the sub-agents of runs.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};
use windlass_app::agents::{AgentOrigin, ListedAgent, list_agents};
use windlass_app::{App, resolve_root};
use windlass_hitl::display_safe;

use crate::arguments::{Agents, AgentsCommand};
use crate::output;

pub(crate) fn agents(arguments: &Agents, app: &App) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        AgentsCommand::List { root, json } => {
            for agent in list_agents(app, &resolve_root(root)?) {
                if *json {
                    output::line(&describe(&agent))?;
                } else {
                    output::print(&format!(
                        "{:<16} {:<8} {}\n",
                        agent.definition.name(),
                        origin(&agent),
                        display_safe(agent.definition.description()).replace('\n', " ")
                    ))?;
                }
            }
        }
        AgentsCommand::Show { agent: name, root, json } => {
            let agents = list_agents(app, &resolve_root(root)?);
            let agent = agents.iter().find(|agent| agent.definition.name() == name).with_context(|| {
                let names: Vec<&str> = agents.iter().map(|agent| agent.definition.name()).collect();
                format!("there is no agent {name:?}; the agents are {}", names.join(", "))
            })?;
            if *json {
                output::line(&describe(agent))?;
            } else {
                output::print(&show(agent))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn origin(agent: &ListedAgent) -> &'static str {
    match agent.source {
        AgentOrigin::BuiltIn => "built in",
        AgentOrigin::User => "user",
        _ => "project",
    }
}

fn show(agent: &ListedAgent) -> String {
    let definition = &agent.definition;
    let mut text = format!("{} ({})\n{}\n\n", definition.name(), origin(agent), definition.description());
    let mut field = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<10} {value}");
    };
    let tools = definition.tools().map(|tools| tools.join(", "));
    field(
        "tools",
        tools.as_deref().map_or("those of the caller", |tools| if tools.is_empty() { "none" } else { tools }),
    );
    field("model", definition.model().unwrap_or("that of the caller"));
    field("mode", definition.mode().unwrap_or("that of the caller"));
    field("rights", if definition.is_read_only() { "calls that only read" } else { "those of the caller" });
    field("agents", if definition.may_delegate() { "may start agents" } else { "may not start agents" });
    if let Some(turns) = definition.turns() {
        field("turns", &turns.to_string());
    }
    let _ = writeln!(text, "\n{}", definition.prompt());
    text
}

fn describe(agent: &ListedAgent) -> Value {
    let definition = &agent.definition;
    json!({
        "name": definition.name(),
        "source": origin(agent),
        "description": definition.description(),
        "tools": definition.tools(),
        "model": definition.model(),
        "mode": definition.mode(),
        "read_only": definition.is_read_only(),
        "may_delegate": definition.may_delegate(),
        "max_turns": definition.turns(),
        "prompt": definition.prompt(),
    })
}
