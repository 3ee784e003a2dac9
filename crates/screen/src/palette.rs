//! The colors of each role.

use ratatui_core::style::Color;

use crate::theme::{Background, Role};

/// Number of an indexed color, and the nearest 24-bit color.
pub(crate) type Shade = (u8, (u8, u8, u8));

/// The colors of a role.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tint {
    /// The color among the 16 of the user's palette.
    pub(crate) ansi: Color,
    dark: Shade,
    light: Shade,
}

impl Tint {
    pub(crate) fn shade(self, background: Background) -> Shade {
        match background {
            Background::Dark => self.dark,
            Background::Light => self.light,
        }
    }
}

const GREEN: Tint = Tint { ansi: Color::Green, dark: (114, (135, 200, 130)), light: (28, (20, 115, 40)) };
const RED: Tint = Tint { ansi: Color::Red, dark: (210, (240, 128, 128)), light: (124, (170, 20, 30)) };
const YELLOW: Tint = Tint { ansi: Color::Yellow, dark: (221, (235, 200, 100)), light: (94, (130, 85, 0)) };
const BLUE: Tint = Tint { ansi: Color::Blue, dark: (111, (130, 170, 245)), light: (25, (0, 80, 170)) };
const MAGENTA: Tint =
    Tint { ansi: Color::Magenta, dark: (176, (210, 140, 220)), light: (90, (125, 30, 135)) };
const CYAN: Tint = Tint { ansi: Color::Cyan, dark: (80, (100, 205, 205)), light: (30, (0, 110, 120)) };
const GRAY: Tint =
    Tint { ansi: Color::DarkGray, dark: (245, (138, 138, 138)), light: (242, (108, 108, 108)) };

/// Returns the colors of a role, or `None` for the color of the terminal.
pub(crate) fn tint(role: Role) -> Option<Tint> {
    Some(match role {
        Role::User | Role::Heading | Role::Type | Role::Call | Role::Code | Role::Property => CYAN,
        Role::Link | Role::Function | Role::Hunk => BLUE,
        Role::Success | Role::Added | Role::AddedWord | Role::String => GREEN,
        Role::Error | Role::Removed | Role::RemovedWord => RED,
        Role::Warning | Role::Question | Role::Number => YELLOW,
        Role::Key | Role::Keyword => MAGENTA,
        Role::Faint | Role::Comment | Role::Thought | Role::Result => GRAY,
        Role::Words | Role::Strong | Role::Emphasis | Role::Struck | Role::Quote | Role::Path => return None,
    })
}
