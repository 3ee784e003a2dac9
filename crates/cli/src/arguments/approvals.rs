//! The commands that answer the questions of suspended runs, and send messages to runs.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::StatusName;
use super::engine::EngineTarget;
use super::store::StoreOption;

#[derive(Debug, Args)]
#[command(
    mut_arg("store", |store| store.global(true)),
    mut_arg("engine", |engine| engine.global(true)),
    mut_arg("content_folder", |folder| folder.global(true)),
    mut_arg("key_file", |file| file.global(true)),
)]
#[command(after_help = "Example: windlass run \"make the tests pass\" --model gpt-5-mini --suspend\n\
Example: windlass approvals list --full\n\
Example: windlass approvals approve 1790000000-3f9a12bc 5f0c2b7e91d84a63 --comment \"but keep the old name\"\n\
Example: windlass run --resume 1790000000-3f9a12bc --suspend\n\
Example: windlass approvals --store sqlite:///srv/windlass/runs.db list\n\
Example: windlass approvals --engine temporal://127.0.0.1:7233/default list")]
pub(crate) struct Approvals {
    #[command(flatten)]
    pub(crate) store: StoreOption,
    #[command(flatten)]
    pub(crate) engine: EngineTarget,
    #[command(subcommand)]
    pub(crate) command: ApprovalsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List open questions of runs.
    #[command(after_help = "Example: windlass approvals list\n\
Example: windlass approvals list 1790000000-3f9a12bc --full")]
    List {
        /// Only the run with this id.
        run: Option<String>,
        /// Show each question in full: the call, its effects and the changes that it would make.
        #[arg(long)]
        full: bool,
        /// Print a line of JSON for each run.
        #[arg(long)]
        json: bool,
    },
    /// Approve calls. The approval applies when the run is resumed, unless the displayed state has changed.
    #[command(after_help = "Example: windlass approvals approve 1790000000-3f9a12bc 5f0c2b7e91d84a63\n\
Example: windlass approvals approve 1790000000-3f9a12bc --all")]
    Approve {
        #[command(flatten)]
        target: Target,
        /// Comment for the model; it becomes part of the result of the call.
        #[arg(long, value_name = "WORDS")]
        comment: Option<String>,
    },
    /// Deny calls.
    #[command(
        after_help = "Example: windlass approvals deny 1790000000-3f9a12bc 5f0c2b7e91d84a63 --comment \"use the test account\""
    )]
    Deny {
        #[command(flatten)]
        target: Target,
        /// Comment for the model; it becomes part of the result of the call.
        #[arg(long, value_name = "WORDS")]
        comment: Option<String>,
    },
    /// Answer the question whether a run should continue: yes, no, or a message for the model.
    #[command(after_help = "Example: windlass approvals comment 1790000000-3f9a12bc yes")]
    Comment {
        /// Id of the run.
        run: String,
        /// The answer.
        words: String,
    },
    /// Give the result of a call that was executed elsewhere.
    #[command(after_help = "Example: windlass approvals result 1790000000-3f9a12bc call_7 \"deployed\"")]
    Result {
        /// Id of the run.
        run: String,
        /// Id of the call.
        call: String,
        /// The result; `-` reads it from standard input.
        text: String,
        /// Status of the result.
        #[arg(long, value_enum, default_value = "ok")]
        status: StatusName,
    },
}

impl ApprovalsCommand {
    /// Returns the run whose questions the command answers, or `None` for the list.
    pub(crate) fn run_id(&self) -> Option<&str> {
        match self {
            Self::List { .. } => None,
            Self::Approve { target, .. } | Self::Deny { target, .. } => Some(&target.run),
            Self::Comment { run, .. } | Self::Result { run, .. } => Some(run),
        }
    }
}

/// Selection of the questions to answer.
#[derive(Debug, Args)]
pub(crate) struct Target {
    /// Id of the run.
    pub(crate) run: String,
    /// Ids of the questions, as `approvals list` shows them. The id of a call is accepted if only one
    /// question is about it.
    #[arg(required_unless_present = "all")]
    pub(crate) ids: Vec<String>,
    /// All open questions about calls of the run.
    #[arg(long, conflicts_with = "ids")]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass say 1790000000-3f9a12bc \"leave the tests alone\"\n\
Example: windlass say 1790000000-3f9a12bc \"then write the changelog\" --after\n\
Example: windlass say 1790000000-3f9a12bc \"it must look like this\" --file mockup.png\n\
Example: windlass say 1790000000-3f9a12bc \"stop after this file\" --store sqlite:///srv/windlass/runs.db\n\
Example: windlass say run-4f1c22a09be37d58 \"use the new name\" --engine temporal://127.0.0.1:7233/default")]
pub(crate) struct Say {
    #[command(flatten)]
    pub(crate) store: StoreOption,
    #[command(flatten)]
    pub(crate) engine: EngineTarget,
    /// The run, by its id, the beginning of its id, or `last`.
    pub(crate) run: String,
    /// The message.
    pub(crate) words: String,
    /// A picture or a file to send with the message. Can be repeated.
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Vec<PathBuf>,
    /// Send the message as the next task, after the current task is completed.
    #[arg(long)]
    pub(crate) after: bool,
}

#[cfg(feature = "temporal")]
#[derive(Debug, Args)]
#[command(
    mut_arg("engine", |engine| engine.required(true)),
    after_help = "Example: windlass stop run-4f1c22a09be37d58 --engine temporal://127.0.0.1:7233/default"
)]
pub(crate) struct Stop {
    #[command(flatten)]
    pub(crate) engine: EngineTarget,
    /// Id of the run.
    pub(crate) run: String,
}
