//! Draws lines of text as a terminal window in SVG.

use std::fmt::Write as _;

use super::screen::Line;

/// The width of the window. All lengths are in pixels.
const WIDTH: usize = 800;
const MARGIN: usize = 16;
const TITLE_BAR: usize = 32;
const LINE_HEIGHT: usize = 18;
/// The distance from the top of a line to its baseline.
const BASELINE: usize = 13;

/// Small enough for a full line of the terminal in each of the named fonts.
const FONT_SIZE: f64 = 12.3;

/// The colours follow the reader's setting. Each text has a contrast of at least 4.5 to 1 on its background.
const STYLE: &str = "\
.window{fill:#fbfbfa;stroke:#c9ccd1}.bar{fill:#eceef0}.button{fill:#b4b9c0}
text{fill:#1f2328;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}
.quiet{fill:#59636e}
@media(prefers-color-scheme:dark){
.window{fill:#1b1f24;stroke:#444c56}.bar{fill:#2a3038}.button{fill:#6e7681}
text{fill:#dfe4ea}.quiet{fill:#a7b0ba}
}";

/// Draws a window with a title, and a description for screen readers.
pub(super) fn draw(title: &str, description: &str, lines: &[Line]) -> String {
    let height = lines.len().saturating_mul(LINE_HEIGHT).saturating_add(TITLE_BAR).saturating_add(MARGIN * 2);
    let (title, description) = (escape(title), escape(description));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-size=\"{FONT_SIZE}\" role=\"img\" aria-labelledby=\"title description\">\n\
         <title id=\"title\">{title}</title>\n<desc id=\"description\">{description}</desc>\n\
         <style>\n{STYLE}\n</style>\n"
    );
    svg.push_str(&frame(&title, height));
    let mut top = TITLE_BAR.saturating_add(MARGIN);
    for line in lines {
        let (class, text) = match line {
            Line::Text(text) => ("", escape(text)),
            Line::Gap(1) => (" class=\"quiet\"", "⋯ 1 line".to_owned()),
            Line::Gap(count) => (" class=\"quiet\"", format!("⋯ {count} lines")),
        };
        if !text.is_empty() {
            let y = top.saturating_add(BASELINE);
            // Writing to a `String` cannot fail.
            let _ =
                writeln!(svg, "<text{class} x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\">{text}</text>");
        }
        top = top.saturating_add(LINE_HEIGHT);
    }
    svg.push_str("</svg>\n");
    svg
}

/// Draws the window without its text: a border, and a bar with three buttons and the title.
fn frame(title: &str, height: usize) -> String {
    let (inner_width, inner_height) = (WIDTH.saturating_sub(1), height.saturating_sub(1));
    let (middle, center) = (TITLE_BAR / 2, WIDTH / 2);
    let bar =
        format!("M.5 {TITLE_BAR}V8.5a8 8 0 0 1 8-8H{}a8 8 0 0 1 8 8V{TITLE_BAR}z", WIDTH.saturating_sub(9));
    let buttons = [20, 38, 56]
        .map(|x| format!("<circle class=\"button\" cx=\"{x}\" cy=\"{middle}\" r=\"5\"/>"))
        .concat();
    let baseline = middle.saturating_add(4);
    format!(
        "<rect class=\"window\" x=\".5\" y=\".5\" width=\"{inner_width}\" height=\"{inner_height}\" rx=\"8\"/>\n\
         <path class=\"bar\" d=\"{bar}\"/>\n{buttons}\n\
         <text class=\"quiet\" x=\"{center}\" y=\"{baseline}\" text-anchor=\"middle\">{title}</text>\n"
    )
}

/// Replaces the characters that have a meaning in XML text.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{FONT_SIZE, Line, MARGIN, WIDTH, draw, escape};
    use crate::picture::screen::COLUMNS;

    fn text(text: &str) -> Line {
        Line::Text(text.to_owned())
    }

    #[test]
    fn characters_of_xml_are_escaped() {
        assert_eq!(escape("a < b && c > d"), "a &lt; b &amp;&amp; c &gt; d");
        assert_eq!(escape("&lt;"), "&amp;lt;");
        assert_eq!(escape("\"$1\" → …"), "\"$1\" → …");
    }

    #[test]
    fn each_line_is_a_text_with_its_spaces() {
        let svg = draw("a & b", "c < d", &[text("    done < \"$1\""), text(""), Line::Gap(2), text("end")]);
        let texts: Vec<&str> = svg.lines().filter(|line| line.contains("xml:space")).collect();
        assert_eq!(
            texts,
            [
                "<text x=\"16\" y=\"61\" xml:space=\"preserve\">    done &lt; \"$1\"</text>",
                "<text class=\"quiet\" x=\"16\" y=\"97\" xml:space=\"preserve\">⋯ 2 lines</text>",
                "<text x=\"16\" y=\"115\" xml:space=\"preserve\">end</text>",
            ]
        );
        assert!(svg.contains("<title id=\"title\">a &amp; b</title>"));
        assert!(svg.contains("<desc id=\"description\">c &lt; d</desc>"));
    }

    #[test]
    fn the_window_ends_below_its_last_line() {
        let svg = draw("", "", &vec![text("x"); 10]);
        assert!(svg.contains("viewBox=\"0 0 800 244\""));
        assert!(svg.contains("y=\"223\" xml:space"));
    }

    #[test]
    fn a_full_terminal_stays_under_sixty_kilobytes() {
        let svg = draw("", "", &vec![text(&"&".repeat(COLUMNS)); 45]);
        assert!(svg.len() < 60_000, "{}", svg.len());
    }

    #[test]
    fn a_full_line_fits_into_the_window() {
        // The advance of the widest of the named fonts is 0.62 of the font's size.
        let line = FONT_SIZE * 0.62 * f64::from(u32::try_from(COLUMNS).unwrap());
        let room = f64::from(u32::try_from(WIDTH - 2 * MARGIN).unwrap());
        assert!(line <= room, "{line} of {room}");
        assert!(draw("", "", &[]).contains("font-size=\"12.3\""));
    }
}
