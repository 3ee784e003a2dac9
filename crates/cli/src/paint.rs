//! The styles and the width of a terminal for output that is only appended.

use std::io::{self, IsTerminal as _};
use std::sync::OnceLock;

use ratatui_core::text::Line;
use rustix::termios::tcgetwinsize;
use windlass_hitl::escape_unsafe;
#[cfg(feature = "tui")]
use windlass_screen::ColorDepth;
use windlass_screen::{RenderOptions, Role, Theme, paint_lines, paint_text, wrap_text};

/// Width of a terminal that does not report one, in columns.
const COLUMNS: usize = 80;

/// The user's choice of the theme in `config.toml`.
static THEME: OnceLock<String> = OnceLock::new();

/// Sets the theme of the user's configuration, which the first call decides.
pub(crate) fn choose_theme(name: Option<&str>) {
    // A later call is of the same command line.
    let _ = THEME.set(name.unwrap_or("auto").to_owned());
}

/// Text for people. Its only escape sequences are those of this program's styles: everything else was escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Painted(String);

impl Painted {
    pub(crate) const EMPTY: Self = Self(String::new());

    /// Returns rendered lines with their styles.
    pub(crate) fn from_lines(lines: &[Line<'_>]) -> Self {
        Self(paint_lines(lines))
    }

    pub(crate) fn append(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    pub(crate) fn push_line_break(&mut self) {
        self.0.push('\n');
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn ends_line(&self) -> bool {
        self.0.ends_with('\n')
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Destination of text for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Err,
    /// A terminal of a test, with its width.
    #[cfg(test)]
    Columns(usize),
}

/// Adds styles and line breaks for a terminal. A pipe and a file get the plain text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Painter {
    /// The stream, if it is a terminal.
    terminal: Option<Stream>,
    /// The styles, if the terminal displays them.
    theme: Option<Theme>,
}

impl Painter {
    /// Creates a painter with the abilities of a stream's terminal.
    pub(crate) fn new(stream: Stream) -> Self {
        let is_terminal = match stream {
            Stream::Out => io::stdout().is_terminal(),
            Stream::Err => io::stderr().is_terminal(),
            #[cfg(test)]
            Stream::Columns(_) => true,
        };
        if !is_terminal {
            return Self::default();
        }
        Self { terminal: Some(stream), theme: find_theme() }
    }

    /// Creates a painter for a terminal of a test.
    #[cfg(test)]
    pub(crate) fn for_test(columns: usize, theme: Option<Theme>) -> Self {
        Self { terminal: Some(Stream::Columns(columns)), theme }
    }

    /// Returns the usable columns, or `None` without a terminal. The last column stays empty, because terminals differ in
    /// what they do behind it.
    pub(crate) fn columns(self) -> Option<usize> {
        let size = match self.terminal? {
            Stream::Out => tcgetwinsize(io::stdout()),
            Stream::Err => tcgetwinsize(io::stderr()),
            #[cfg(test)]
            Stream::Columns(columns) => return Some(columns),
        };
        let columns = usize::from(size.ok()?.ws_col);
        (columns > 0).then(|| columns.saturating_sub(1))
    }

    /// Returns the options of the renderers of `windlass-screen`, or `None` without styles.
    pub(crate) fn options(self) -> Option<RenderOptions> {
        Some(RenderOptions::new(self.columns().unwrap_or(COLUMNS), self.theme?))
    }

    /// Escapes a text, and adds the style of a role.
    pub(crate) fn paint(self, role: Role, text: &str) -> Painted {
        Painted(match self.theme {
            Some(theme) => paint_text(text, role, theme),
            None => escape_unsafe(text).into_owned(),
        })
    }

    /// Like [`paint`](Self::paint), for whole lines, which are wrapped between words.
    pub(crate) fn paint_lines(self, role: Role, text: &str) -> Painted {
        match self.columns() {
            Some(columns) => self.paint(role, &wrap_text(&escape_unsafe(text), columns)),
            None => self.paint(role, text),
        }
    }
}

/// Returns the styles of the terminal that the environment describes, as for the conversation, or `None` for a terminal
/// without styles. The 16 colors of the user fit every background. The background is not requested, because its
/// report would arrive among the keys of the user.
#[cfg(feature = "tui")]
fn find_theme() -> Option<Theme> {
    let profile = windlass_tui::TerminalProfile::detect(|name| windlass_app::variable(name));
    let profile = profile.with_theme(THEME.get().map_or("auto", String::as_str));
    let has_styles = profile.can_move && profile.theme.depth > ColorDepth::None;
    has_styles.then(|| Theme::new(ColorDepth::Ansi16, profile.theme.background))
}

/// Builds without the conversation print no styles.
#[cfg(not(feature = "tui"))]
fn find_theme() -> Option<Theme> {
    None
}

/// Returns the role of a line by its mark. The conversation uses the same roles.
pub(crate) fn role_of(line: &str) -> Role {
    match line.trim_start().chars().next() {
        Some('!' | '■' | '⏸') => Role::Warning,
        Some('✗') => Role::Error,
        Some('✓') => Role::Success,
        Some('?') => Role::Question,
        Some('>') => Role::User,
        Some('→') => Role::Call,
        Some('·' | '─' | '±' | '[') => Role::Faint,
        _ => Role::Words,
    }
}
