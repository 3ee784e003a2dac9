//! The loop that owns the terminal and the sessions.

mod changes;
mod checkpoints;
mod clipboard;
mod configuration;
mod editor;
mod keys;
mod link;
mod listing;
mod opening;
mod parts;
mod picture;
mod requests;
mod sources;
mod suspension;

use std::io::{self, Stdout};
use std::task::Poll;
use std::time::{Duration, Instant};

use ratatui_core::text::Line;
use tokio::sync::mpsc;
use windlass_app::RunSettings;
use windlass_app::sessions::SessionHost;
use windlass_screen::StatusLine;

use self::keys::Keys;
use self::link::Link;
use self::sources::{Arrival, Sources};
use crate::action::Action;
use crate::input::{Input, Key, Reply, Scroll};
use crate::options::{Canvas, TuiOptions};
use crate::state::State;
use crate::terminal::{Display, Modes};
use crate::{CommandRunner, ProgramNotice};

/// Shortest time between two frames. A key is displayed within 16 ms, with some time for the work.
pub(crate) const FRAME: Duration = Duration::from_millis(12);
/// Shortest time between two frames that show only events of the feed: a frame of a few letters costs more bytes than
/// the letters.
pub(crate) const FEED_FRAME: Duration = Duration::from_millis(100);
/// Maximum number of inputs between two frames.
const INPUTS: usize = 4_096;
/// Time that the runs have to stop in order at the end.
const PATIENCE: Duration = Duration::from_secs(20);

/// Conversation with an agent in the terminal.
///
/// It is a window on the sessions of a [`SessionHost`]: it starts, continues, stops and answers them, and reads their
/// feed. Standard input and standard output must be a terminal.
///
/// ```no_run
/// use windlass_app::sessions::SessionHost;
/// use windlass_app::{App, RunSettings};
/// use windlass_tui::{Conversation, TerminalProfile, TuiOptions};
///
/// # async fn talk(app: App, template: RunSettings) -> Result<(), Box<dyn std::error::Error>> {
/// let profile = TerminalProfile::detect(|name| std::env::var(name).ok());
/// let mut options = TuiOptions::default();
/// (options.theme, options.is_reflowing) = (profile.theme, profile.is_reflowing);
/// let conversation = Conversation::new(SessionHost::new(&app)?, template, options);
/// conversation.run(std::future::pending()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Conversation {
    host: SessionHost,
    template: RunSettings,
    options: TuiOptions,
    notices: Option<mpsc::UnboundedReceiver<ProgramNotice>>,
    commands: Option<CommandRunner>,
}

impl Conversation {
    /// Creates a conversation whose runs have the settings of the template, except for the task.
    pub fn new(host: SessionHost, template: RunSettings, options: TuiOptions) -> Self {
        Self { host, template, options, notices: None, commands: None }
    }

    /// Sets the source of notices of the program, which must not be printed while the conversation owns the terminal.
    pub fn with_notices(mut self, notices: mpsc::UnboundedReceiver<ProgramNotice>) -> Self {
        self.notices = Some(notices);
        self
    }

    /// Sets the runner of commands that a person types after `!`.
    pub fn with_commands(mut self, commands: CommandRunner) -> Self {
        self.commands = Some(commands);
        self
    }

    /// Runs the conversation until the person or `stop` ends it, and returns the id of its last session. The runs of
    /// the host are stopped in order.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be read or written.
    pub async fn run(self, stop: impl Future<Output = ()>) -> io::Result<Option<String>> {
        let (columns, rows) = crossterm::terminal::size()?;
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        let display = if self.options.is_full_screen {
            Display::full_screen(io::stdout(), columns, rows)
        } else {
            Display::inline(io::stdout(), columns, rows, self.options.is_reflowing)
        };
        let modes = Modes::enter(display.buffer())?;
        let (mut keys, mut theme) = (Keys::default(), self.options.theme);
        if self.options.asks_background
            && let Some(background) = keys.ask_background().await?
        {
            theme.background = background;
        }
        let canvas = Canvas { columns, rows, theme };
        let mut status = StatusLine::default();
        status.model.clone_from(&self.template.provider.model);
        status.mode = self.template.offering.mode.clone().unwrap_or_default();
        self.template.autonomy.as_str().clone_into(&mut status.autonomy);
        let mut state = State::new(canvas, status, &self.options.window);
        if !self.options.greeting.is_empty() {
            let options = canvas.render_options();
            state.greet(windlass_screen::render_notice(&self.options.greeting, &options));
        }
        let (replies, received) = mpsc::unbounded_channel();
        let (feed, events) = mpsc::channel(64);
        let mut driver = Driver {
            modes: Some(modes),
            display,
            state,
            sources: Sources::new(keys, received, events, self.notices),
            link: Link::new(
                self.host.clone(),
                self.template,
                replies,
                feed,
                &self.options.window,
                self.commands,
            ),
            editor: self.options.editor.clone(),
            finished: Vec::new(),
            started: Instant::now(),
            is_urgent: true,
            is_over: false,
        };
        let end = driver.converse(self.options, stop).await;
        let stopped = driver.end().await;
        end.and(stopped)?;
        Ok(driver.link.session().map(str::to_owned))
    }
}

/// The parts of a conversation that performs IO.
struct Driver {
    modes: Option<Modes>,
    display: Display<Stdout>,
    state: State,
    sources: Sources,
    link: Link,
    editor: Option<String>,
    /// Finished lines that are not painted yet.
    finished: Vec<Line<'static>>,
    started: Instant,
    /// True if the next frame shows more than events of the feed.
    is_urgent: bool,
    is_over: bool,
}

impl Driver {
    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    async fn converse(&mut self, options: TuiOptions, stop: impl Future<Output = ()>) -> io::Result<()> {
        tokio::pin!(stop);
        self.link.load_history();
        if let Some(session) = options.session {
            self.link.open(session);
        } else {
            self.link.report_window();
            if options.has_picker {
                self.link.list_sessions();
            }
        }
        let mut painted = None;
        while !self.is_over {
            let wait = self.wait_before_frame(painted);
            tokio::select! {
                arrival = self.sources.next() => self.receive(arrival?).await?,
                () = &mut stop => return Ok(()),
                () = tokio::time::sleep(wait) => {}
            }
            let is_idle = self.drain().await?;
            let is_due = painted.is_none_or(|at: Instant| at.elapsed() >= self.frame());
            if is_due && !self.is_over {
                let now = self.now();
                self.perform_update(now, Input::Tick { is_idle }).await?;
                self.paint()?;
                painted = Some(Instant::now());
            }
        }
        Ok(())
    }

    /// Returns the time until a frame can show something new.
    fn wait_before_frame(&self, painted: Option<Instant>) -> Duration {
        let next = self.state.next_tick().unwrap_or(Duration::from_hours(1)).max(FRAME);
        let next = if self.has_changed() { self.frame().min(next) } else { next };
        painted.map_or(Duration::ZERO, |at| next.saturating_sub(at.elapsed()))
    }

    fn frame(&self) -> Duration {
        if self.is_urgent { FRAME } else { FEED_FRAME }
    }

    fn has_changed(&self) -> bool {
        !self.finished.is_empty() || self.state.has_changed()
    }

    /// Applies the inputs that have arrived. Returns true if no more are pending.
    async fn drain(&mut self) -> io::Result<bool> {
        for _ in 0..INPUTS {
            let Poll::Ready(arrival) = self.sources.poll_next().await else { return Ok(true) };
            self.receive(arrival?).await?;
        }
        Ok(false)
    }

    async fn receive(&mut self, arrival: Arrival) -> io::Result<()> {
        let input = match arrival {
            Arrival::Input(input) => input,
            Arrival::ModesLeft => self.recover_terminal()?,
        };
        self.apply(input).await
    }

    async fn apply(&mut self, input: Input) -> io::Result<()> {
        self.is_urgent |= !matches!(input, Input::Feed(_));
        if let Input::Reply(reply) = &input {
            self.link.observe(reply);
        }
        match &input {
            Input::Resize { columns, rows } => self.display.resize(*columns, *rows),
            // The lines that follow from the text are the newest ones.
            Input::Key(Key::Enter) => self.display.scroll(Scroll::End),
            _ => {}
        }
        let now = self.now();
        self.perform_update(now, input).await
    }

    async fn perform_update(&mut self, now: Duration, input: Input) -> io::Result<()> {
        for action in self.state.update(now, input) {
            self.perform(action).await?;
        }
        Ok(())
    }

    fn paint(&mut self) -> io::Result<()> {
        if !Modes::are_entered() {
            // The message of a panic is being printed.
            return Ok(());
        }
        let view = self.state.view(self.now());
        self.display.paint(std::mem::take(&mut self.finished), &view)?;
        self.is_urgent = self.state.has_question();
        let now = self.now();
        // Drawing has no actions.
        self.state.update(now, Input::Drawn);
        Ok(())
    }

    async fn perform(&mut self, action: Action) -> io::Result<()> {
        match action {
            Action::Print(lines) => self.finished.extend(lines),
            Action::Edit(text) => {
                let reply = match self.edit(&text, ".md").await? {
                    Ok(text) => Reply::Edited(text),
                    Err(error) => editor::failure(&error),
                };
                self.link.reply(reply);
            }
            Action::EditArguments { question, text } => {
                let reply = match self.edit(&text, ".json").await? {
                    Ok(text) => Reply::ArgumentsEdited { question, text },
                    Err(error) => editor::failure(&error),
                };
                self.link.reply(reply);
            }
            Action::Suspend => self.suspend().await?,
            Action::Copy(text) => self.display.write_control(&clipboard::copy(&text))?,
            Action::Notify(text) => self.display.write_control(&clipboard::notify(&text))?,
            Action::Scroll(scroll) => self.display.scroll(scroll),
            Action::Redraw => self.display.redraw()?,
            Action::Quit => self.is_over = true,
            action => self.link.perform(action),
        }
        Ok(())
    }

    /// Ends the view and the runs in order. A key ends the wait. Without a terminal, no person decided about the open
    /// questions, so runs that wait for answers are suspended.
    async fn end(&mut self) -> io::Result<()> {
        let left = self.paint_farewell();
        let host = self.link.host().clone();
        tokio::select! {
            () = host.stop_all(), if left.is_ok() => {}
            () = host.suspend_all(), if left.is_err() => {}
            () = self.sources.wait_for_key(), if left.is_ok() => {}
            () = tokio::time::sleep(PATIENCE) => {}
        }
        self.sources.stop_keys();
        self.modes = None;
        left.and_then(|()| self.display.print_end())
    }

    fn paint_farewell(&mut self) -> io::Result<()> {
        let view = self.state.farewell();
        self.display.paint(std::mem::take(&mut self.finished), &view)?;
        self.display.leave()
    }
}
