//! A call of a tool as lines: while its arguments arrive, while it runs, and after its end.

mod arguments;
mod output;
mod view;

use std::time::Duration;

use ratatui_core::text::Line;
use serde_json::Value;

use self::arguments::CallArguments;
use self::output::RecentOutput;
use crate::options::RenderOptions;

/// State of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallState {
    /// The model writes the arguments.
    #[default]
    Writing,
    /// The arguments are complete, and the call has not started.
    Waiting,
    /// The call runs.
    Running,
    /// The call continues outside of this process.
    Deferred,
    /// The call was not allowed.
    Denied {
        /// Name of the rule, as [`describe_rule`](crate::describe_rule) returns it; empty for an answer of a person.
        rule: String,
        /// The explanation of the rule, or the comment of the person.
        reason: String,
    },
    /// The call ended.
    Ended {
        /// The status: `ok`, `error` and others.
        status: String,
        /// The result as text.
        text: String,
        /// Number of pictures in the result.
        images: u32,
    },
}

/// A call of a tool, from its first delta to its result.
///
/// ```
/// use std::time::Duration;
/// use windlass_screen::{CallState, CallView, RenderOptions, Theme};
///
/// let options = RenderOptions::new(60, Theme::default());
/// let mut call = CallView::new("write_file");
/// call.push_arguments(r#"{"path": "src/lib.rs", "content": "fn one() {}\nfn tw"#);
/// let live: Vec<String> = call.render_live(6, None, &options).iter().map(ToString::to_string).collect();
/// assert_eq!(live, ["◌ write_file src/lib.rs", "  fn one() {}", "  fn tw"]);
///
/// let text = "The file was written.".to_owned();
/// call.set_state(CallState::Ended { status: "ok".to_owned(), text, images: 0 });
/// let lines = call.render(Some(Duration::from_millis(200)), &options);
/// assert_eq!(lines[0].to_string(), "✓ write_file src/lib.rs · 0.2s");
/// ```
#[derive(Debug)]
pub struct CallView {
    tool: String,
    arguments: CallArguments,
    output: RecentOutput,
    notes: Vec<String>,
    state: CallState,
}

/// Maximum number of stored remarks.
const NOTES: usize = 20;

impl CallView {
    /// Creates the view of a call whose arguments have not arrived.
    pub fn new(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            arguments: CallArguments::default(),
            output: RecentOutput::default(),
            notes: Vec::new(),
            state: CallState::Writing,
        }
    }

    /// Returns the name of the tool.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the state.
    pub fn state(&self) -> &CallState {
        &self.state
    }

    /// Changes the state.
    pub fn set_state(&mut self, state: CallState) {
        self.state = state;
    }

    /// Appends a piece of the arguments. Its work is proportional to the piece.
    pub fn push_arguments(&mut self, delta: &str) {
        self.arguments.push(delta);
    }

    /// Replaces the arguments that arrived in pieces by the whole ones.
    pub fn set_arguments(&mut self, arguments: &Value) {
        self.arguments = CallArguments::from_value(arguments);
        if self.state == CallState::Writing {
            self.state = CallState::Waiting;
        }
    }

    /// Appends output of the running call. Only the last lines are stored.
    pub fn push_output(&mut self, text: &str) {
        self.output.push(text);
    }

    /// Notes that the feed left out this many bytes of output here.
    pub fn skip_output(&mut self, bytes: u64) {
        self.output.skip(bytes);
    }

    /// Adds a remark, such as a repair of the arguments. Of many remarks the first 20 are stored.
    pub fn push_note(&mut self, note: &str) {
        if self.notes.len() < NOTES {
            self.notes.push(note.to_owned());
        }
    }

    /// Renders a call that has not ended, in at most `rows` lines (at least one): a header with the most important
    /// argument, then the end of the text that the model writes, or of the output of the call.
    pub fn render_live(
        &self,
        rows: usize,
        elapsed: Option<Duration>,
        options: &RenderOptions,
    ) -> Vec<Line<'static>> {
        view::live(self, rows, elapsed, *options)
    }

    /// Renders the call for the history: a header with the time, the arguments that the header does not show, and the
    /// result. Long texts are folded.
    pub fn render(&self, elapsed: Option<Duration>, options: &RenderOptions) -> Vec<Line<'static>> {
        view::whole(self, elapsed, *options)
    }
}
