//! Helpers of the tests.

use ratatui_core::text::Line;
use windlass_screen::{Background, ColorDepth, RenderOptions, Theme, text_width};

/// Returns options without colors.
pub(crate) fn options(columns: usize) -> RenderOptions {
    RenderOptions::new(columns, Theme::new(ColorDepth::None, Background::Dark))
}

/// Returns lines as text, without spaces at their ends.
pub(crate) fn text(lines: &[Line<'static>]) -> String {
    let rows: Vec<String> = lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect();
    rows.join("\n") + "\n"
}

/// Asserts that no line is wider than the options allow, and that no line contains a control character.
pub(crate) fn assert_fits(lines: &[Line<'static>], options: RenderOptions) {
    for line in lines {
        let row = line.to_string();
        assert!(text_width(&row) <= options.columns, "{} columns: {row:?}", options.columns);
        assert!(!row.chars().any(char::is_control), "{row:?}");
    }
}
