//! The options of a conversation: the program without a command.

use clap::{Arg, ArgMatches, Args, Error, FromArgMatches};

use super::Run;
use super::exclusions::is_refused_in_conversation;

/// The program without a command: a conversation in the terminal.
#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// Print lines instead of drawing below them.
    #[arg(long, hide_short_help = true, help_heading = HEADING)]
    pub(crate) plain: bool,
    /// Use the whole screen, with its own scrolling (Page Up, Page Down, mouse wheel). `--fullscreen=false` overrides
    /// the setting `fullscreen`.
    #[arg(long, hide_short_help = true, help_heading = HEADING, value_name = "BOOL", conflicts_with = "plain")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    pub(crate) fullscreen: Option<bool>,
    #[command(flatten)]
    pub(crate) run: ChatRun,
}

/// Heading of the options in the help of the program.
const HEADING: &str = "Options of a conversation (windlass without a command)";

/// The options of `run` that are settings of the runs of a conversation.
#[derive(Debug)]
pub(crate) struct ChatRun(pub(crate) Run);

impl FromArgMatches for ChatRun {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Run::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Args for ChatRun {
    fn augment_args(command: clap::Command) -> clap::Command {
        adapt(command, Run::augment_args(clap::Command::new("run")))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        adapt(command, Run::augment_args_for_update(clap::Command::new("run")))
    }
}

/// Adds the arguments of a run to the program.
fn adapt(command: clap::Command, run: clap::Command) -> clap::Command {
    let run = run
        .mut_arg("task", |_| Arg::new("task").long("task"))
        .mut_arg("resume", |_| {
            session("resume", "resume", "").help(
                "Open a session: its id, the beginning of its id, or `last`. Without a value a list opens",
            )
        })
        .mut_arg("continued", |_| {
            session("continued", "continue", "last").help("Open a session; without a value the newest one")
        });
    let groups: Vec<_> = run.get_groups().filter(|group| group.get_id() != "Run").cloned().collect();
    let arguments = run.get_arguments().cloned().map(|argument| {
        let id = argument.get_id().as_str();
        let is_hidden = is_refused_in_conversation(id);
        argument.help_heading(HEADING).hide_short_help(true).hide(is_hidden)
    });
    command.args(arguments.collect::<Vec<_>>()).groups(groups)
}

fn session(id: &'static str, long: &'static str, missing: &'static str) -> Arg {
    Arg::new(id).long(long).value_name("SESSION").num_args(0..=1).default_missing_value(missing)
}
