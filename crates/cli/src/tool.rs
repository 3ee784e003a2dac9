//! `windlass tool`: lists, shows and calls tools.

mod call;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use windlass_protocol::ToolSpec;
use windlass_toolbox::Toolbox;
use windlass_tools_shell::Shell;

use crate::arguments::{PresetName, Tool, ToolCommand};
use crate::setup::Offered;
use crate::tape::Tape;
use crate::{modes, output, setup};

pub(crate) async fn tool(arguments: Tool) -> anyhow::Result<ExitCode> {
    match arguments.command {
        ToolCommand::List { preset, offering, model, root, json } => {
            let model = model.as_deref();
            list(&root, Offered { preset, offering: &offering, model, servers: None }, json)
        }
        ToolCommand::Show { name, json } => show(&name, json),
        ToolCommand::Call(arguments) => call::call(*arguments).await,
    }
}

fn list(root: &Path, offered: Offered<'_>, json: bool) -> anyhow::Result<ExitCode> {
    let root = setup::root(root)?;
    let toolbox = setup::toolbox_on(&Tape::none(), &root, None, offered, &Shell::new_unconfined())?;
    let toolbox = in_mode(toolbox, offered.offering.mode.as_deref())?;
    for (spec, hints) in toolbox.offered_specs() {
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
    let slug = &modes::find(toolbox.modes(), mode)?.slug;
    Ok(toolbox.in_mode(slug)?)
}

fn first_sentence(text: &str) -> &str {
    text.split_once(". ").map_or(text, |(first, _)| first)
}

fn show(name: &str, json: bool) -> anyhow::Result<ExitCode> {
    let toolbox =
        setup::toolbox(&setup::root(Path::new("."))?, None, PresetName::Full, &Shell::new_unconfined())?;
    let tool = toolbox
        .find(name)
        .with_context(|| format!("there is no tool {name}; `windlass tool list --preset full` lists them"))?;
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
