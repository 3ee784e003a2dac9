//! The settings of runs that clients start.

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

use super::Run;
use super::exclusions::OF_ONE_RUN;

/// The options of `run` that are settings of runs which clients start. The others are hidden, and refused by name.
#[derive(Debug)]
pub(crate) struct ServedRun(pub(crate) Run);

impl FromArgMatches for ServedRun {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Run::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Args for ServedRun {
    fn augment_args(command: Command) -> Command {
        hide(Run::augment_args(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        hide(Run::augment_args_for_update(command))
    }
}

fn hide(command: Command) -> Command {
    // A task is required in `run`; an option that is never given replaces it.
    let command = command.mut_arg("task", |_| clap::Arg::new("task").long("task"));
    command.mut_args(|argument| {
        let is_hidden = OF_ONE_RUN.contains(&argument.get_id().as_str());
        if is_hidden { argument.hide(true) } else { argument }
    })
}
