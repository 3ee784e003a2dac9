//! `windlass workflow`: run, list and draw graphs of steps.

#[path = "../../../app/src/agents/workflows.rs"]
mod found;
mod run;
mod telling;

use std::path::Path;
use std::process::ExitCode;

use windlass_workflow::draw;

use crate::arguments::{Workflow, WorkflowCommand};
use crate::{output, setup};

pub(crate) use self::found::{BUILTIN_FEATURE, PROJECT_FEATURE, load, offered};
pub(crate) use self::run::is_of_workflow;

pub(crate) async fn workflow(arguments: Workflow) -> anyhow::Result<ExitCode> {
    match arguments.command {
        WorkflowCommand::Run(arguments) => return run::run(*arguments).await,
        WorkflowCommand::List { root, json } => list(&root, json)?,
        WorkflowCommand::Show { workflow, root, json } => {
            let workflow = found::find(&setup::root(&root)?, &workflow)?;
            if json {
                output::line(workflow.definition())?;
            } else {
                output::print(&windlass_hitl::display_safe(&draw(&workflow)))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(root: &Path, json: bool) -> anyhow::Result<()> {
    for (workflow, owner) in load(&setup::root(root)?)?.iter() {
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
