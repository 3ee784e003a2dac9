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
    /// Run or resume a workflow. The policy applies to its calls, and they are recorded like those of a
    /// model.
    #[command(
        after_help = "Example: windlass workflow run git_commit --model gpt-5-mini\n\
Example: windlass workflow run --resume 1790000000-3f9a12bc",
        mut_arg("task", |arg| arg.value_name("NAME").help("Name of the workflow"))
    )]
    Run(Box<WorkflowRun>),
    /// List the workflows: built in, of the user (`workflows/*.toml` in the settings folder) and of the
    /// project (`.windlass/workflows/*.toml`).
    #[command(after_help = "Example: windlass workflow list --root .")]
    List {
        /// Project folder whose workflows are also read.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print a line of JSON for each entry.
        #[arg(long)]
        json: bool,
    },
    /// Draw a workflow.
    #[command(after_help = "Example: windlass workflow show git_commit")]
    Show {
        /// Name or file of the workflow.
        workflow: String,
        /// Project folder whose workflows are also read.
        #[arg(long, default_value = ".")]
        root: PathBuf,
        /// Print the definition as a line of JSON.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct WorkflowRun {
    /// Input of the workflow: a text, or a JSON value with `:=` instead of `=`. Can be repeated.
    #[arg(long = "input", value_name = "NAME=TEXT", value_parser = input)]
    pub(crate) inputs: Vec<(String, Value)>,
    #[command(flatten)]
    pub(crate) run: Run,
}

/// Parses `NAME=TEXT` or `NAME:=JSON`.
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
