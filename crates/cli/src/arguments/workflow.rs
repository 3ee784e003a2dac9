//! The options of `windlass workflow`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::Value;

use super::Run;

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass workflow list\nExample: windlass workflow show git_commit\n\
Example: windlass workflow run git_commit --model gpt-5-mini --input hint=\"the parser is one commit\"")]
pub(crate) struct Workflow {
    #[command(subcommand)]
    pub(crate) command: WorkflowCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowCommand {
    /// Run a workflow, or go on with one. Each call in it is judged, asked about and recorded like a model's.
    #[command(
        after_help = "Example: windlass workflow run git_commit --model gpt-5-mini\n\
Example: windlass workflow run --resume 1790000000-3f9a12bc",
        mut_arg("task", |arg| arg.value_name("NAME").help("Which workflow"))
    )]
    Run(Box<WorkflowRun>),
    /// The workflows: those that are built in, the user's (`workflows/*.toml` in the folder of settings) and the project's
    /// (`.windlass/workflows/*.toml`).
    #[command(after_help = "Example: windlass workflow list --root .")]
    List {
        /// The folder whose workflows are read too.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print a line of JSON for each.
        #[arg(long)]
        json: bool,
    },
    /// Draw a workflow.
    #[command(after_help = "Example: windlass workflow show git_commit")]
    Show {
        /// Its name, or a file.
        workflow: String,
        /// The folder whose workflows are read too.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print its definition as a line of JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct WorkflowRun {
    /// Something that the workflow is given: a text, or with `:=` in place of `=` a value of JSON. May be said several
    /// times.
    #[arg(long = "input", value_name = "NAME=TEXT", value_parser = input)]
    pub(crate) inputs: Vec<(String, Value)>,
    #[command(flatten)]
    pub(crate) run: Run,
}

/// Reads `NAME=TEXT` or `NAME:=JSON`.
fn input(text: &str) -> Result<(String, Value), String> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| format!("{text:?} is no input; write one like name=text"))?;
    match name.strip_suffix(':') {
        Some(name) => serde_json::from_str(value)
            .map(|value| (name.to_owned(), value))
            .map_err(|error| format!("the value of {name} is no JSON: {error}")),
        None => Ok((name.to_owned(), Value::String(value.to_owned()))),
    }
}
