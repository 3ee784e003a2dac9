//! The abilities of the terminal, as the environment describes them.

use windlass_screen::{Background, ColorDepth, Theme};

/// Abilities of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TerminalProfile {
    /// The styles.
    pub theme: Theme,
    /// True if the terminal wraps its lines anew when it gets narrower.
    pub is_reflowing: bool,
    /// True if the terminal can move its cursor.
    pub can_move: bool,
    /// True if the terminal can be asked for its background, and the answer changes the styles.
    pub can_report_background: bool,
}

impl TerminalProfile {
    /// Applies the user's choice of colors: `dark` or `light` for the background of the terminal, `none` for no
    /// colors. Other words, such as `auto`, keep the detected colors. A terminal without colors keeps none of them.
    ///
    /// ```
    /// use windlass_screen::{Background, ColorDepth};
    /// use windlass_tui::TerminalProfile;
    ///
    /// let profile = TerminalProfile::detect(|name| (name == "TERM").then(|| "xterm-256color".to_owned()));
    /// assert_eq!(profile.with_theme("light").theme.background, Background::Light);
    /// assert_eq!(profile.with_theme("none").theme.depth, ColorDepth::None);
    /// assert_eq!(profile.with_theme("auto"), profile);
    /// ```
    #[must_use]
    pub fn with_theme(mut self, theme: &str) -> Self {
        self.can_report_background &= !matches!(theme, "dark" | "light" | "none");
        match theme {
            "dark" => self.theme.background = Background::Dark,
            "light" => self.theme.background = Background::Light,
            "none" => self.theme.depth = ColorDepth::None,
            _ => {}
        }
        self
    }

    /// Derives the profile from environment variables, which `variable` returns.
    ///
    /// ```
    /// use windlass_screen::ColorDepth;
    /// use windlass_tui::TerminalProfile;
    ///
    /// let profile = TerminalProfile::detect(|name| (name == "TERM").then(|| "xterm-256color".to_owned()));
    /// assert_eq!(profile.theme.depth, ColorDepth::Ansi256);
    /// assert!(profile.can_report_background && !profile.with_theme("light").can_report_background);
    /// assert!(!TerminalProfile::detect(|_| Some("dumb".to_owned())).can_move);
    /// ```
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| variable(name).filter(|value| !value.is_empty());
        let is_set = |name: &str| get(name).is_some();
        let term = get("TERM").unwrap_or_default();
        let color = get("COLORTERM").unwrap_or_default();
        let depth = if is_set("NO_COLOR") || term == "dumb" || term.ends_with("-m") {
            ColorDepth::None
        } else if color.contains("truecolor") || color.contains("24bit") || term.ends_with("-direct") {
            ColorDepth::TrueColor
        } else if term.contains("256color") {
            ColorDepth::Ansi256
        } else {
            ColorDepth::Ansi16
        };
        // Terminals report the colors of text and background as `15;0`.
        let background = get("COLORFGBG").and_then(|colors| colors.rsplit(';').next()?.parse::<u8>().ok());
        let background = match background {
            Some(7 | 9..=15) => Background::Light,
            _ => Background::Dark,
        };
        let reflowing = [
            "TMUX",
            "VTE_VERSION",
            "KITTY_WINDOW_ID",
            "WEZTERM_PANE",
            "WT_SESSION",
            "ALACRITTY_WINDOW_ID",
            "GHOSTTY_RESOURCES_DIR",
            "ITERM_SESSION_ID",
            "KONSOLE_VERSION",
        ];
        Self {
            theme: Theme::new(depth, background),
            is_reflowing: reflowing.into_iter().any(is_set),
            can_move: !term.is_empty() && term != "dumb",
            // The 16 colors of the user fit every background. GNU screen and the console of Linux do not answer.
            can_report_background: depth >= ColorDepth::Ansi256
                && !term.starts_with("linux")
                && (!term.starts_with("screen") || is_set("TMUX")),
        }
    }
}
