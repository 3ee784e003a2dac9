//! The inputs of a conversation: keys, pastes, events of the feed, replies of the program, time.

use std::time::Duration;

use windlass_app::feed::{FeedEvent, Question};
use windlass_protocol::Arguments;
use windlass_screen::{Background, RuleCard};

use crate::action::{Changes, ForkTurn};

/// Key, with the meaning that it has in a line editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]

pub(crate) enum Key {
    /// A character.
    Char(char),
    /// Enter.
    Enter,
    /// Enter with Alt or Shift, or Ctrl-J: a line feed in the text.
    NewLine,
    /// Tab.
    Tab,
    /// Escape.
    Escape,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Cursor left.
    Left,
    /// Cursor right.
    Right,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// Home, or Ctrl-A.
    Home,
    /// End, or Ctrl-E.
    End,
    /// Ctrl-Left or Alt-B.
    WordLeft,
    /// Ctrl-Right or Alt-F.
    WordRight,
    /// Ctrl-W or Alt-Backspace.
    DeleteWord,
    /// Ctrl-U.
    DeleteToStart,
    /// Ctrl-K.
    DeleteToEnd,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    EndOfInput,
    /// Ctrl-G or Ctrl-O: the text in the external editor.
    Editor,
    /// Ctrl-V: the picture in the clipboard of the desktop.
    PastePicture,
    /// Ctrl-L: paint everything again.
    Redraw,
    /// Ctrl-Z: return to the shell.
    Suspend,
    /// Page Up, Page Down, Ctrl-Home or Ctrl-End: another part of a conversation that has the whole screen.
    Scroll(Scroll),
}

/// Movement through the lines of a conversation that has the whole screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scroll {
    /// Some rows up.
    Up,
    /// Some rows down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the oldest line.
    Start,
    /// To the newest line.
    End,
}

/// Input of a conversation.
#[derive(Clone, Debug)]

pub(crate) enum Input {
    /// A key was pressed.
    Key(Key),
    /// A text was pasted.
    Paste(String),
    /// The wheel of the mouse was turned.
    Wheel(Scroll),
    /// The terminal has a new size.
    Resize {
        /// Columns.
        columns: usize,
        /// Rows.
        rows: usize,
    },
    /// The terminal's window got or lost the focus.
    Focus(bool),
    /// The terminal reported its background.
    Background(Background),
    /// Time passed. `is_idle` is true if no input was pending when the time was read.
    Tick {
        /// True if no input was pending.
        is_idle: bool,
    },
    /// The terminal displays the present view.
    Drawn,
    /// An event of the session's feed.
    Feed(Box<FeedEvent>),
    /// An event of a stored session that is too old to be printed.
    Earlier(Box<FeedEvent>),
    /// A reply of the program to an action.
    Reply(Reply),
}

/// Reply of the program to an action.
#[derive(Clone, Debug)]

pub(crate) enum Reply {
    /// A run of this session started or was resumed.
    Started {
        /// Id of the session.
        session: String,
    },
    /// A stored session was opened. Its events follow.
    Opened(OpenedSession),
    /// A task could not be started. Its text returns to the composer, and its changes are those of the next task.
    NotStarted {
        /// The text of the task.
        task: String,
        /// The error.
        message: String,
        /// The settings that did not change.
        changes: Changes,
        /// The fork that was not created.
        fork: Option<ForkTurn>,
    },
    /// The result of a check that a mode exists.
    ModeChecked {
        /// Slug of the mode.
        mode: String,
        /// The error, which lists the modes.
        problem: Option<String>,
    },
    /// The settings of the first run of a new session.
    NewSession {
        /// Name of the model.
        model: String,
        /// Slug of the mode.
        mode: String,
        /// Level of autonomy.
        autonomy: String,
    },
    /// The open questions of a suspended session.
    Questions(Vec<(String, Question)>),
    /// A question needs no answer any more.
    Answered(String),
    /// An answer was stored for a suspended run, which has this number of unanswered questions.
    Stored {
        /// Number of questions without an answer.
        unanswered: usize,
    },
    /// The sessions for the picker.
    Sessions(Vec<SessionChoice>),
    /// The files of the project, relative to its root.
    Files(Vec<String>),
    /// The text of the external editor; `None` if the person did not save it.
    Edited(Option<String>),
    /// The path of the picture in the clipboard of the desktop.
    Picture(String),
    /// The arguments of a call from the external editor; `None` if the person did not save them.
    ArgumentsEdited {
        /// Id of the question about the call.
        question: String,
        /// The JSON text.
        text: Option<String>,
    },
    /// The result of a check of changed arguments.
    ArgumentsChecked {
        /// Id of the question about the call.
        question: String,
        /// The arguments.
        arguments: Arguments,
        /// The violations of the schema, if it has any.
        problem: Option<String>,
    },
    /// The rule that would cover the call of a question.
    Rule {
        /// Id of the question.
        question: String,
        /// The rule with its examples.
        card: RuleCard,
        /// Digest of the proposal.
        digest: String,
    },
    /// The texts that were typed in earlier processes, the oldest first.
    History(Vec<String>),
    /// The context window of the model in tokens; `None` if it is unknown.
    ContextWindow(Option<u64>),
    /// The next request waits.
    Wait {
        /// A text for the person, if it was not printed before.
        text: Option<String>,
        /// The reason.
        reason: String,
        /// The duration.
        wait: Duration,
    },
    /// A message could not be sent. Its text returns to the composer.
    NotSent {
        /// The text.
        text: String,
        /// The error.
        message: String,
    },
    /// A text for the person.
    Notice(String),
    /// A unified diff.
    Diff(String),
    /// The output of a command of the person.
    Output {
        /// The command.
        command: String,
        /// The output, or the reason of a refusal.
        text: String,
    },
    /// Something failed.
    Error(String),
}

/// Session that was opened to be continued.
#[derive(Clone, Debug, Default)]

pub(crate) struct OpenedSession {
    /// Id of the session.
    pub(crate) session: String,
    /// The number of the newest event that was sent.
    pub(crate) last_seq: u64,
    /// Name of the model.
    pub(crate) model: String,
    /// Slug of the mode.
    pub(crate) mode: String,
    /// Level of autonomy.
    pub(crate) autonomy: String,
    /// True if the newest run waits for answers.
    pub(crate) is_suspended: bool,
    /// True if a process works on the session.
    pub(crate) is_active: bool,
}

/// Line of the session picker.
#[derive(Clone, Debug, PartialEq, Eq)]

pub(crate) struct SessionChoice {
    /// Id of the session.
    pub(crate) id: String,
    /// Name of the session.
    pub(crate) name: String,
    /// State, age and model.
    pub(crate) details: String,
}

impl SessionChoice {
    /// Creates a line of the picker.
    pub(crate) fn new(id: impl Into<String>, name: impl Into<String>, details: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), details: details.into() }
    }
}
