//! Roles of text, and their styles at each color depth.

use ratatui_core::style::{Color, Modifier, Style};

use crate::palette::tint;

/// The colors that a terminal can display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "terminals have these four depths")]
pub enum ColorDepth {
    /// No colors, as `NO_COLOR` requests. Bold, dim, italic and underlined text still differ.
    None,
    /// The 16 colors of the user's palette.
    #[default]
    Ansi16,
    /// The 256 indexed colors.
    Ansi256,
    /// 24-bit colors.
    TrueColor,
}

/// Brightness of the terminal's background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a background is dark or light")]
pub enum Background {
    /// Light text on a dark background.
    #[default]
    Dark,
    /// Dark text on a light background.
    Light,
}

/// The purpose of a text, which decides its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// Words of the model.
    Words,
    /// Words of the user.
    User,
    /// Reasoning of the model.
    Thought,
    /// Headings.
    Heading,
    /// Strong emphasis.
    Strong,
    /// Emphasis.
    Emphasis,
    /// Text that was struck out.
    Struck,
    /// The text of a link.
    Link,
    /// Quoted text.
    Quote,
    /// Inline code, commands and file content without highlighting.
    Code,
    /// The name of a tool.
    Call,
    /// A path of a file.
    Path,
    /// Output of a call.
    Result,
    /// The mark of a success.
    Success,
    /// Errors.
    Error,
    /// Warnings, and high risks.
    Warning,
    /// Questions to the user.
    Question,
    /// Keys that the user can press.
    Key,
    /// Added lines of a diff.
    Added,
    /// Removed lines of a diff.
    Removed,
    /// Added words inside of a changed line.
    AddedWord,
    /// Removed words inside of a changed line.
    RemovedWord,
    /// The header of a hunk.
    Hunk,
    /// Secondary text: line numbers, rules, counts.
    Faint,
    /// Keywords of a programming language.
    Keyword,
    /// Names of functions.
    Function,
    /// Names of types.
    Type,
    /// Texts in quotes.
    String,
    /// Numbers and constants.
    Number,
    /// Comments.
    Comment,
    /// Names of fields and attributes.
    Property,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 31] = [
        Self::Words,
        Self::User,
        Self::Thought,
        Self::Heading,
        Self::Strong,
        Self::Emphasis,
        Self::Struck,
        Self::Link,
        Self::Quote,
        Self::Code,
        Self::Call,
        Self::Path,
        Self::Result,
        Self::Success,
        Self::Error,
        Self::Warning,
        Self::Question,
        Self::Key,
        Self::Added,
        Self::Removed,
        Self::AddedWord,
        Self::RemovedWord,
        Self::Hunk,
        Self::Faint,
        Self::Keyword,
        Self::Function,
        Self::Type,
        Self::String,
        Self::Number,
        Self::Comment,
        Self::Property,
    ];

    /// Returns the modifiers of the role, which every color depth has.
    fn modifiers(self) -> Modifier {
        match self {
            Self::User
            | Self::Heading
            | Self::Strong
            | Self::Call
            | Self::Error
            | Self::Question
            | Self::Warning
            | Self::Key => Modifier::BOLD,
            Self::Thought | Self::Comment => Modifier::DIM.union(Modifier::ITALIC),
            Self::Emphasis | Self::Quote => Modifier::ITALIC,
            Self::Struck => Modifier::CROSSED_OUT,
            Self::Link | Self::Path => Modifier::UNDERLINED,
            Self::AddedWord | Self::RemovedWord => Modifier::BOLD.union(Modifier::UNDERLINED),
            Self::Result | Self::Faint | Self::Hunk => Modifier::DIM,
            _ => Modifier::empty(),
        }
    }
}

/// The styles of a terminal.
///
/// ```
/// use windlass_screen::{Background, ColorDepth, Role, Theme};
/// use ratatui_core::style::{Color, Modifier};
///
/// let theme = Theme::new(ColorDepth::Ansi16, Background::Dark);
/// assert_eq!(theme.style(Role::Added).fg, Some(Color::Green));
/// let plain = Theme::new(ColorDepth::None, Background::Dark).style(Role::Error);
/// assert_eq!((plain.fg, plain.add_modifier), (None, Modifier::BOLD));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Theme {
    /// The colors of the terminal.
    pub depth: ColorDepth,
    /// The brightness of its background.
    pub background: Background,
}

impl Theme {
    /// Returns the theme of a terminal with these colors and this background.
    pub fn new(depth: ColorDepth, background: Background) -> Self {
        Self { depth, background }
    }

    /// Returns the style of a role.
    pub fn style(self, role: Role) -> Style {
        let style = Style::new().add_modifier(role.modifiers());
        let mut style = match (tint(role), self.depth) {
            (None, _) | (_, ColorDepth::None) => style,
            (Some(tint), ColorDepth::Ansi16) => style.fg(tint.ansi),
            (Some(tint), ColorDepth::Ansi256) => style.fg(Color::Indexed(tint.shade(self.background).0)),
            (Some(tint), ColorDepth::TrueColor) => {
                let (red, green, blue) = tint.shade(self.background).1;
                style.fg(Color::Rgb(red, green, blue))
            }
        };
        // A faint color with `DIM` is unreadable in some terminals.
        if style.fg.is_some() {
            style.add_modifier.remove(Modifier::DIM);
        }
        style
    }
}
