//! The commands that answer runs which wait, and speak to runs which work.

use clap::{Args, Subcommand};

use super::run::StatusName;

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass run \"make the tests pass\" --model gpt-5-mini --suspend\n\
Example: windlass approvals list --full\n\
Example: windlass approvals approve 1790000000-3f9a12bc 5f0c2b7e91d84a63 --comment \"but keep the old name\"\n\
Example: windlass run --resume 1790000000-3f9a12bc --suspend")]
pub(crate) struct Approvals {
    #[command(subcommand)]
    pub(crate) command: ApprovalsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List what runs wait for.
    List {
        /// One run only, by its id.
        run: Option<String>,
        /// Show each question whole: what would run, what it meets, what it would change.
        #[arg(long)]
        full: bool,
        /// A line of JSON for each run.
        #[arg(long)]
        json: bool,
    },
    /// Say yes to calls. It counts when the run is resumed, if nothing of what was shown has changed.
    Approve {
        #[command(flatten)]
        target: Target,
        /// A comment for the model; it stands in the call's own result.
        #[arg(long, value_name = "WORDS")]
        comment: Option<String>,
    },
    /// Say no to calls.
    Deny {
        #[command(flatten)]
        target: Target,
        /// A comment for the model; it stands in the call's own result.
        #[arg(long, value_name = "WORDS")]
        comment: Option<String>,
    },
    /// Say whether and how a run goes on, where it asks that: yes, no, or words for the model.
    Comment {
        /// The run's id.
        run: String,
        /// The words.
        words: String,
    },
    /// Give the result of a call that went on elsewhere.
    Result {
        /// The run's id.
        run: String,
        /// The call's id.
        call: String,
        /// What it gave; `-` reads it from standard input.
        text: String,
        /// How it ended.
        #[arg(long, value_enum, default_value = "ok")]
        status: StatusName,
    },
}

/// Which questions are answered.
#[derive(Debug, Args)]
pub(crate) struct Target {
    /// The run's id.
    pub(crate) run: String,
    /// The questions, by the ids that `approvals list` shows. A call's id does where only one question is about it.
    #[arg(required_unless_present = "all")]
    pub(crate) ids: Vec<String>,
    /// All calls that the run asks about.
    #[arg(long, conflicts_with = "ids")]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: windlass say 1790000000-3f9a12bc \"leave the tests alone\"\n\
Example: windlass say 1790000000-3f9a12bc \"then write the changelog\" --after")]
pub(crate) struct Say {
    /// The run's id.
    pub(crate) run: String,
    /// What to say to it.
    pub(crate) words: String,
    /// Say it when the task is done, as the next task.
    #[arg(long)]
    pub(crate) after: bool,
}
