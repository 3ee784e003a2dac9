//! Requests of a conversation to the program.

use ratatui_core::text::Line;
use windlass_app::feed::AgentPath;
use windlass_app::sessions::Answer;
use windlass_protocol::Arguments;
use windlass_screen::StatusLine;

use crate::input::Scroll;

/// Extent of the changes of files that a person asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffExtent {
    /// The changes since the start of the session.
    Session,
    /// The changes of the newest run.
    Run,
}

/// Action that the program performs for a conversation.
#[derive(Clone, Debug, PartialEq)]

pub(crate) enum Action {
    /// Appends finished lines to the scrollback.
    Print(Vec<Line<'static>>),
    /// Starts a session with a task, or continues the session with it.
    Submit {
        /// The task.
        task: String,
        /// The paths of files for the task.
        files: Vec<String>,
        /// The settings that change.
        changes: Changes,
    },
    /// Starts a new session with the conversation of the present one.
    Fork {
        /// The turn after which the fork leaves; `None` for the whole conversation.
        turn: Option<u32>,
        /// The task.
        task: String,
        /// The paths of files for the task.
        files: Vec<String>,
        /// The settings that change.
        changes: Changes,
    },
    /// Sends a message to the working run.
    Send {
        /// The text.
        text: String,
        /// The paths of files for the message.
        files: Vec<String>,
        /// True if the message waits until the task is done.
        after_task: bool,
        /// True if the message may become the next task when the run has ended meanwhile. False if settings are to
        /// change with the next task.
        can_start: bool,
    },
    /// Answers a question.
    Answer {
        /// Id of the question.
        question: String,
        /// The answer.
        answer: Answer,
    },
    /// Opens the arguments of a call in the external editor.
    EditArguments {
        /// Id of the question about the call.
        question: String,
        /// The arguments as JSON.
        text: String,
    },
    /// Checks changed arguments of a call against the schema of its tool.
    CheckArguments {
        /// Id of the question about the call.
        question: String,
        /// The arguments.
        arguments: Arguments,
    },
    /// Requests the rule that would cover the call of a question.
    ProposeRule(String),
    /// Approves the call of a question for the session, and writes the rule that was shown.
    AcceptRule {
        /// Id of the question about the call.
        question: String,
        /// Digest of the proposal that was shown.
        digest: String,
    },
    /// Checks that a mode exists.
    CheckMode(String),
    /// Compacts the conversation: now, or before the next request of the working run.
    Compact,
    /// Stops one call, while its run or sub-agent continues.
    StopCall {
        /// The sub-agent that made the call.
        agent: Option<AgentPath>,
        /// Id of the call.
        call: String,
    },
    /// Stops the working run in order.
    Stop,
    /// Requests the open questions of the suspended session.
    ListQuestions,
    /// Resumes the suspended session.
    Resume,
    /// Requests the sessions.
    ListSessions,
    /// Opens a session by its id.
    Open(String),
    /// Requests the files of the project.
    ListFiles,
    /// Opens a text in the external editor.
    Edit(String),
    /// Runs a command of the person.
    Run(String),
    /// Requests the changes of files.
    Diff(DiffExtent),
    /// Restores the files to the state before a turn of the newest run; `None` for the state before the run.
    Restore(Option<u32>),
    /// Writes the conversation into a file; `None` for a name that the program chooses.
    Export(Option<String>),
    /// Shows a part of the configuration.
    Describe(Topic),
    /// Revokes a learned permission by its id.
    Revoke(String),
    /// Adds a text to the history of this and later processes.
    Remember(String),
    /// Stores the picture in the clipboard of the desktop in a file.
    PastePicture,
    /// Copies a text to the clipboard of the terminal.
    Copy(String),
    /// Notifies the person, whose terminal has no focus.
    Notify(String),
    /// Displays another part of the conversation, if it has the whole screen.
    Scroll(Scroll),
    /// Paints everything again.
    Redraw,
    /// Gives the terminal back to the shell until the shell continues the program.
    Suspend,
    /// Ends the program.
    Quit,
}

/// Settings that change with the next run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]

pub(crate) struct Changes {
    /// Name of the model.
    pub(crate) model: Option<String>,
    /// Slug of the mode.
    pub(crate) mode: Option<String>,
    /// Level of autonomy.
    pub(crate) autonomy: Option<String>,
    /// Amount of reasoning.
    pub(crate) effort: Option<String>,
}

impl Changes {
    /// Returns true if no setting changes.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds older changes of settings that these changes leave as they are.
    pub(crate) fn add_older(&mut self, older: Self) {
        let Self { model, mode, autonomy, effort } = older;
        for (newer, older) in [
            (&mut self.model, model),
            (&mut self.mode, mode),
            (&mut self.autonomy, autonomy),
            (&mut self.effort, effort),
        ] {
            if newer.is_none() {
                *newer = older;
            }
        }
    }

    /// Writes the changes into the status line.
    pub(crate) fn show_in(&self, status: &mut StatusLine) {
        for (change, place) in [
            (&self.model, &mut status.model),
            (&self.mode, &mut status.mode),
            (&self.autonomy, &mut status.autonomy),
        ] {
            if let Some(value) = change {
                place.clone_from(value);
            }
        }
    }
}

/// The turn after which the next task forks the session; `None` for the whole conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ForkTurn(pub(crate) Option<u32>);

/// Part of the configuration that a command shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// The MCP servers.
    Servers,
    /// The policy and the learned permissions.
    Policy,
}
