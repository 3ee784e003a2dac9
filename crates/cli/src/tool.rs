//! `windlass tool`: lists, shows and calls tools.

mod call;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use windlass_app::assembly::{ToolPlan, build_toolbox, find_mode};
use windlass_app::{App, ToolPreset, ToolSelection, resolve_root};
use windlass_protocol::ToolSpec;
use windlass_toolbox::Toolbox;
use windlass_tools_shell::Shell;

use crate::arguments::{Tool, ToolCommand};
use crate::output;

pub(crate) async fn tool(arguments: Tool, app: &App) -> anyhow::Result<ExitCode> {
    match arguments.command {
        ToolCommand::List { preset, offering, model, root, json } => {
            let selection = offering.selection();
            let plan = ToolPlan::new(preset.preset(), &selection).with_model(model.as_deref());
            list(app, &root, plan, json)
        }
        ToolCommand::Show { name, json } => show(app, &name, json),
        ToolCommand::Call(arguments) => call::call(*arguments, app).await,
    }
}

fn list(app: &App, root: &Path, plan: ToolPlan<'_>, json: bool) -> anyhow::Result<ExitCode> {
    let toolbox = build_toolbox(app, &resolve_root(root)?, plan, &Shell::new_unconfined())?;
    let toolbox = in_mode(toolbox, plan.selection.mode.as_deref())?;
    for (spec, hints) in toolbox.tool_specs() {
        if json {
            let group = toolbox.group(spec.name().as_str());
            let (name, description) = (spec.name(), spec.description());
            output::line(
                &json!({ "name": name, "group": group, "description": description, "hints": hints }),
            )?;
        } else {
            output::print(&format!("{:<24} {}\n", spec.name().as_str(), first_sentence(spec.description())))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn in_mode(toolbox: Toolbox, mode: Option<&str>) -> anyhow::Result<Toolbox> {
    let Some(mode) = mode else { return Ok(toolbox) };
    let slug = &find_mode(toolbox.modes(), mode)?.slug;
    Ok(toolbox.in_mode(slug)?)
}

fn first_sentence(text: &str) -> &str {
    text.split_once(". ").map_or(text, |(first, _)| first)
}

fn show(app: &App, name: &str, json: bool) -> anyhow::Result<ExitCode> {
    let selection = ToolSelection::default();
    let plan = ToolPlan::new(ToolPreset::Full, &selection);
    let toolbox = build_toolbox(app, &resolve_root(Path::new("."))?, plan, &Shell::new_unconfined())?;
    let tool = toolbox
        .find(name)
        .with_context(|| format!("unknown tool {name}; `windlass tool list --preset full` lists them"))?;
    let (spec, hints) = (tool.spec(), tool.hints());
    if json {
        output::line(&json!({ "spec": spec, "hints": hints }))?;
    } else {
        let schema = match spec {
            ToolSpec::Function { parameters, .. } => serde_json::to_string_pretty(parameters)?,
            _ => "free text".to_owned(),
        };
        output::print(&format!("{}\n\n{}\n\n{schema}\n", spec.name(), spec.description()))?;
    }
    Ok(ExitCode::SUCCESS)
}
