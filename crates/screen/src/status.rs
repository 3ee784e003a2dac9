//! The status line, which drops its parts by importance when the terminal is narrow.

use std::time::Duration;

use ratatui_core::text::{Line, Span};
use windlass_text::count_noun;

use crate::options::RenderOptions;
use crate::safe::escape_line;
use crate::theme::Role;
use crate::width::{cut, text_width};

/// The parts of a status line. Empty and missing parts are left out.
///
/// ```
/// use windlass_screen::{RenderOptions, StatusLine, Theme};
///
/// let mut status = StatusLine::default();
/// status.model = "claude-sonnet-4-5".to_owned();
/// status.autonomy = "auto-edit".to_owned();
/// status.context = Some((42_000, 200_000));
/// let wide = status.render(&RenderOptions::new(80, Theme::default()));
/// assert_eq!(wide.to_string(), "claude-sonnet-4-5 · auto-edit · context 21 %");
/// let narrow = status.render(&RenderOptions::new(32, Theme::default()));
/// assert_eq!(narrow.to_string(), "claude-sonnet-4-5 · auto-edit");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StatusLine {
    /// Name of the model.
    pub model: String,
    /// Slug of the mode.
    pub mode: String,
    /// Level of autonomy.
    pub autonomy: String,
    /// Level of containment.
    pub containment: String,
    /// Used tokens and size of the model's window.
    pub context: Option<(u64, u64)>,
    /// Input and output tokens.
    pub tokens: Option<(u64, u64)>,
    /// Input tokens that the provider read from its cache.
    pub cached: Option<u64>,
    /// Cost in millionths of the currency.
    pub cost: Option<u64>,
    /// Sign of the currency; `$` if it is empty.
    pub currency: String,
    /// Number of open questions.
    pub questions: usize,
}

/// Before the mode, if the autonomy follows it: the mode `ask` is another setting than the autonomy `ask`.
const MODE_LABEL: &str = "mode ";
/// Between the parts.
const SEPARATOR: &str = " · ";

impl StatusLine {
    /// Renders the line. Parts that do not fit are dropped, the least important first: cache hits, tokens, cost,
    /// mode, containment, context, autonomy, model. Open questions stay.
    pub fn render(&self, options: &RenderOptions) -> Line<'static> {
        let mut parts = self.parts();
        let width = |parts: &[Part]| {
            let texts: usize = parts.iter().map(|part| text_width(&part.text)).sum();
            texts.saturating_add(parts.len().saturating_sub(1).saturating_mul(3))
        };
        while parts.len() > 1 && width(&parts) > options.columns {
            let last = parts.iter().enumerate().max_by_key(|(_, part)| part.rank).map(|(index, _)| index);
            let Some(last) = last else { break };
            parts.remove(last);
        }
        let mut spans: Vec<Span<'static>> = Vec::new();
        for part in parts {
            if !spans.is_empty() {
                spans.push(options.span(Role::Faint, SEPARATOR));
            }
            spans.push(options.span(part.role, cut(&part.text, options.columns)));
        }
        Line::from(spans)
    }

    /// Returns the parts from left to right.
    fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut push = |rank: u8, role: Role, text: String| {
            if !text.is_empty() {
                parts.push(Part { rank, role, text });
            }
        };
        if self.questions > 0 {
            push(0, Role::Question, count_noun(self.questions, "question"));
        }
        push(1, Role::Words, escape_line(&self.model));
        let label = if self.mode.is_empty() || self.autonomy.is_empty() { "" } else { MODE_LABEL };
        push(5, Role::Faint, format!("{label}{}", escape_line(&self.mode)));
        push(2, Role::Faint, escape_line(&self.autonomy));
        push(4, Role::Faint, escape_line(&self.containment));
        if let Some((used, window)) = self.context
            && let Some(percent) = used.saturating_mul(100).checked_div(window)
        {
            let role = if percent >= 80 { Role::Warning } else { Role::Faint };
            push(3, role, format!("context {percent} %"));
        }
        if let Some((input, output)) = self.tokens {
            push(7, Role::Faint, format!("{} in, {} out", format_count(input), format_count(output)));
            let percent =
                self.cached.and_then(|cached| cached.saturating_mul(100).checked_div(input)).unwrap_or(0);
            if percent > 0 {
                push(8, Role::Faint, format!("{percent} % cached"));
            }
        }
        if let Some(cost) = self.cost {
            push(6, Role::Faint, format_cost(cost, &escape_line(&self.currency)));
        }
        parts
    }
}

/// Part of the line. Parts of higher ranks are dropped first.
#[derive(Debug)]
struct Part {
    rank: u8,
    role: Role,
    text: String,
}

fn format_cost(millionths: u64, currency: &str) -> String {
    let sign = if currency.is_empty() { "$" } else { currency };
    let (whole, rest) = (millionths / 1_000_000, millionths % 1_000_000);
    if whole == 0 && rest < 10_000 {
        format!("{sign}{whole}.{:04}", rest / 100)
    } else {
        format!("{sign}{whole}.{:02}", rest / 10_000)
    }
}

/// Returns a number in at most five characters.
///
/// ```
/// use windlass_screen::format_count;
/// assert_eq!(format_count(950), "950");
/// assert_eq!(format_count(12_345), "12.3k");
/// assert_eq!(format_count(3_000_000), "3.0M");
/// ```
pub fn format_count(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..100_000 => format!("{}.{}k", number / 1_000, number % 1_000 / 100),
        100_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}.{}M", number / 1_000_000, number % 1_000_000 / 100_000),
    }
}

/// Returns a duration in its largest units.
///
/// ```
/// use std::time::Duration;
/// use windlass_screen::format_duration;
/// assert_eq!(format_duration(Duration::from_millis(340)), "0.3s");
/// assert_eq!(format_duration(Duration::from_secs(42)), "42s");
/// assert_eq!(format_duration(Duration::from_secs(192)), "3m 12s");
/// assert_eq!(format_duration(Duration::from_secs(7_500)), "2h 5m");
/// ```
pub fn format_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{seconds}.{}s", duration.subsec_millis() / 100),
        10..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {}s", seconds / 60, seconds % 60),
        _ => format!("{}h {}m", seconds / 3_600, seconds % 3_600 / 60),
    }
}
