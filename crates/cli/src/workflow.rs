//! `windlass workflow`: run, list and draw graphs of steps.

mod run;
mod telling;

use std::path::Path;
use std::process::ExitCode;

use windlass_app::agents::{find_workflow, load_workflows};
use windlass_app::{App, resolve_root};
use windlass_workflow::draw;

use crate::arguments::{Workflow, WorkflowCommand};
use crate::output;

pub(crate) async fn workflow(arguments: Workflow, app: &App) -> anyhow::Result<ExitCode> {
    match arguments.command {
        WorkflowCommand::Run(arguments) => return run::run(*arguments, app).await,
        WorkflowCommand::List { root, json } => list(app, &root, json)?,
        WorkflowCommand::Show { workflow, root, json } => {
            let workflow = find_workflow(app, &resolve_root(&root)?, &workflow)?;
            if json {
                output::line(workflow.definition())?;
            } else {
                output::print(&windlass_hitl::display_safe(&draw(&workflow)))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(app: &App, root: &Path, json: bool) -> anyhow::Result<()> {
    for (workflow, owner) in load_workflows(app, &resolve_root(root)?)?.iter() {
        let definition = workflow.definition();
        if json {
            output::line(&serde_json::json!({
                "name": definition.name,
                "description": definition.description,
                "input": definition.input,
                "owner": owner.to_string(),
            }))?;
        } else {
            let text = format!("{:<20} {} ({owner})", definition.name, definition.description);
            output::print(&format!("{}\n", windlass_hitl::display_safe(&text)))?;
        }
    }
    Ok(())
}
