//! Slash commands.

use ratatui_core::text::{Line, Span};
use windlass_app::feed::Tokens;
use windlass_screen::{DiffLimits, Role, render_diff};

use super::working_calls::WorkingCall;
use super::{Phase, State};
use crate::action::{Action, DiffExtent, ForkTurn, Topic};
use crate::complete::COMMANDS;

/// Keys of a conversation, for `/help`.
const KEYS: [(&str, &str); 16] = [
    ("Enter", "send; while a run works, the model gets the text with its next request"),
    ("Tab", "complete; while a run works, send the text as the next task"),
    ("Alt-Enter, Ctrl-J", "a new line"),
    ("Esc", "stop after the running call; twice: stop now"),
    ("Ctrl-C", "empty the text or stop the run; twice: quit"),
    ("Ctrl-D", "quit if the text is empty"),
    ("Up, Down", "earlier texts, also of earlier conversations"),
    ("Ctrl-G", "write the text in $EDITOR"),
    ("!COMMAND", "run a command yourself, under the same policy"),
    ("@", "complete a file of the project; a picture or a PDF is sent with the task"),
    ("Ctrl-V", "send the picture in the clipboard with the task; a dropped or pasted path works, too"),
    ("Ctrl-L", "paint again"),
    (
        "PageUp, PageDown, wheel",
        "with --fullscreen: earlier lines; Ctrl-Home, Ctrl-End: the oldest, the newest",
    ),
    ("Ctrl-Z", "return to the shell; fg continues"),
    ("y a r e n l d", "answer a question, after it stood for a moment"),
    ("Ctrl-W, Ctrl-U, Ctrl-K", "delete a word, to the start, to the end of the line"),
];
/// Names that other agents have for a command.
const ALIASES: [(&str, &str); 4] =
    [("resume", "sessions"), ("clear", "new"), ("exit", "quit"), ("usage", "cost")];
/// Lines of a diff that `/diff` shows.
const DIFF_LINES: usize = 2_000;

impl State {
    /// Runs the command in the composer. Returns false if its text is not a command.
    pub(super) fn run_command(&mut self) -> bool {
        let text = self.composer.text().to_owned();
        let Some(line) = text.strip_prefix('/') else { return false };
        let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        // A path such as `/usr/bin` is not a command.
        if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_lowercase()) {
            return false;
        }
        let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, command)| command);
        if !COMMANDS.iter().any(|(command, ..)| *command == name) {
            self.hint = Some(format!("/{name} is not a command; /help lists them"));
            return true;
        }
        self.composer.clear();
        self.remember(&text);
        self.apply_command(name, argument.trim());
        true
    }

    fn apply_command(&mut self, name: &str, argument: &str) {
        let value = Some(argument.to_owned()).filter(|argument| !argument.is_empty());
        match name {
            "help" => self.show_help(),
            "model" | "mode" | "autonomy" | "effort" => self.change_setting(name, value),
            "diff" if self.has_session => self.request_diff(argument),
            "restore" => self.with_turn(value.as_deref(), Action::Restore),
            "fork" => self.fork_from(value.as_deref()),
            "compact" => self.compact(),
            "stop" => self.stop_call(value.as_deref()),
            "agents" => self.show_agents(),
            "mcp" => self.actions.push(Action::Describe(Topic::Servers)),
            "policy" => self.show_policy(argument),
            "sessions" => self.actions.push(Action::ListSessions),
            "new" => self.begin_anew(),
            "export" if self.has_session => self.actions.push(Action::Export(value)),
            "copy" if !self.transcript.answer().is_empty() => {
                let answer = self.transcript.answer().to_owned();
                self.actions.push(Action::Copy(answer));
                self.hint = Some("the last answer was sent to the clipboard of the terminal".to_owned());
            }
            "questions" if self.has_session => self.actions.push(Action::ListQuestions),
            "cost" => self.show_cost(),
            "quit" => self.actions.push(Action::Quit),
            _ => self.transcript.add_notice("there is no conversation yet"),
        }
    }

    fn request_diff(&mut self, argument: &str) {
        match argument {
            "" => self.actions.push(Action::Diff(DiffExtent::Session)),
            // The feed reports the changes of a run.
            "run" if !self.transcript.diff().is_empty() => {
                let diff = self.transcript.diff().to_owned();
                self.show_diff(&diff);
            }
            "run" => self.actions.push(Action::Diff(DiffExtent::Run)),
            _ => {
                self.hint = Some(
                    "/diff shows the changes of the session; /diff run those of its newest run".to_owned(),
                );
            }
        }
    }

    pub(super) fn show_diff(&mut self, diff: &str) {
        if diff.trim().is_empty() {
            self.transcript.add_notice("no files have changed");
            return;
        }
        let limits = DiffLimits::default().with_lines(DIFF_LINES);
        let lines = render_diff(diff, limits, &self.canvas.render_options());
        self.transcript.add_lines(lines);
    }

    fn with_turn(&mut self, value: Option<&str>, action: fn(Option<u32>) -> Action) {
        if self.is_working() || !self.has_session {
            self.hint = Some("this needs a conversation whose run has ended".to_owned());
            return;
        }
        match value.map(str::parse::<u32>).transpose() {
            Ok(turn) => self.actions.push(action(turn)),
            Err(_) => self.hint = Some("the turn must be a number".to_owned()),
        }
    }

    fn fork_from(&mut self, value: Option<&str>) {
        if self.is_working() || !self.has_session {
            self.hint = Some("this needs a conversation whose run has ended".to_owned());
            return;
        }
        match value.map(str::parse::<u32>).transpose() {
            Ok(turn) => {
                self.fork = Some(ForkTurn(turn));
                self.transcript.add_notice("the next task begins a new session with this conversation");
            }
            Err(_) => self.hint = Some("the turn must be a number".to_owned()),
        }
    }

    /// Compacts the conversation now, or before the next request of a working run.
    fn compact(&mut self) {
        match self.phase {
            _ if !self.has_session => self.transcript.add_notice("there is no conversation yet"),
            Phase::Starting => self.hint = Some("the run starts: try again in a moment".to_owned()),
            Phase::Suspended => {
                self.hint = Some("answer the questions of the suspended run first".to_owned());
            }
            Phase::Working => self.actions.push(Action::Compact),
            Phase::Idle => {
                self.phase = Phase::Starting;
                self.working_since = self.now;
                self.transcript.await_task();
                self.actions.push(Action::Compact);
            }
        }
    }

    /// Stops one call of the run or of a sub-agent.
    fn stop_call(&mut self, name: Option<&str>) {
        match self.working_calls.find(name) {
            Some((WorkingCall { agent, call }, tool)) => {
                let place = agent.as_ref().map(|agent| format!(" of {}", agent.names.join(" > ")));
                self.transcript.add_notice(&format!("stopping {tool}{}", place.unwrap_or_default()));
                self.actions.push(Action::StopCall { agent, call });
            }
            None => self.hint = Some("no such call works now; Escape stops the run".to_owned()),
        }
    }

    fn show_agents(&mut self) {
        let lines = self.agents.render(&self.canvas.render_options());
        if lines.is_empty() {
            let words = "no sub-agent has worked in this session; a run offers them with --feature agents";
            self.transcript.add_notice(words);
        } else {
            self.transcript.add_lines(lines);
        }
    }

    fn show_policy(&mut self, argument: &str) {
        match argument.split_once(char::is_whitespace) {
            None if argument.is_empty() => self.actions.push(Action::Describe(Topic::Policy)),
            Some(("revoke", id)) if !id.trim().is_empty() => {
                self.actions.push(Action::Revoke(id.trim().to_owned()));
            }
            _ => {
                self.hint =
                    Some("/policy shows the policy; /policy revoke ID ends a learned permission".to_owned());
            }
        }
    }

    fn begin_anew(&mut self) {
        if self.is_working() {
            self.hint = Some("stop the run before you begin a new session".to_owned());
            return;
        }
        self.transcript.reset();
        self.cards.clear();
        self.agents = super::AgentList::default();
        (self.has_session, self.phase) = (false, Phase::Idle);
        self.tokens = (Tokens::default(), Tokens::default());
        (self.status.tokens, self.status.cost, self.status.context) = (None, None, None);
        self.context_window = None;
        self.actions.push(Action::Open(String::new()));
        self.transcript.add_notice("the next task begins a new session");
    }

    fn show_help(&mut self) {
        let options = self.canvas.render_options();
        // On a narrow terminal the description begins after the key.
        let (width, indent) = if options.columns < 60 { (0, 4) } else { (24, 26) };
        let row = |key: &str, words: &str| {
            let gap = if width == 0 { "  " } else { "" };
            Line::from(vec![
                Span::styled(format!("  {key:<width$}{gap}"), options.theme.style(Role::Key)),
                Span::styled(words.to_owned(), options.theme.style(Role::Words)),
            ])
        };
        let mut lines: Vec<Line<'static>> = COMMANDS
            .iter()
            .map(|(name, arguments, purpose)| row(format!("/{name} {arguments}").trim_end(), purpose))
            .collect();
        lines.push(Line::default());
        lines.extend(KEYS.iter().map(|(key, words)| row(key, words)));
        let indent = Line::from(" ".repeat(indent));
        let wrapped =
            lines.iter().flat_map(|line| windlass_screen::wrap_line(line, options.columns, &indent));
        self.transcript.add_lines(wrapped.collect());
    }

    fn show_cost(&mut self) {
        let mut total = self.tokens.0;
        total.add(&self.tokens.1);
        let cost = if total.cost > 0 {
            format!("{}.{:04}", total.cost / 1_000_000, total.cost % 1_000_000 / 100)
        } else {
            "unknown, because the model has no known price".to_owned()
        };
        self.transcript.add_notice(&format!("{}; cost: {cost}", total.describe()));
    }
}
