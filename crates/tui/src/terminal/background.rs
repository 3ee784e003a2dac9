//! The background color of the terminal, which the terminal reports on request (OSC 11).

use std::collections::VecDeque;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use windlass_screen::Background;

/// Requests the background color.
pub(crate) const QUERY: &str = "\x1b]11;?\x1b\\";

/// The beginning of a report after its introducer.
const PREFIX: &str = "11;rgb";
/// Longest report without its introducer and terminator: `11;rgba:` and four components of four digits.
const MAX_REPORT: usize = 27;

/// Filter that takes the report out of the keys. The key reader does not know the report and returns it as keys, which
/// would land in the prompt. A slow connection delivers it at any time, so the filter waits for it until it arrives.
#[derive(Debug, Default)]
pub(crate) struct ReportFilter {
    is_waiting: bool,
    /// The keys that may be a report.
    held: Vec<Event>,
    /// The characters of these keys.
    report: String,
}

impl ReportFilter {
    /// Waits for one report.
    pub(crate) fn waiting() -> Self {
        Self { is_waiting: true, ..Self::default() }
    }

    /// Takes an event, and appends the events that are not part of a report to `passed`. Returns the background when
    /// the report is complete.
    pub(crate) fn push(&mut self, event: Event, passed: &mut VecDeque<Event>) -> Option<Background> {
        let key = match &event {
            Event::Key(key) if self.is_waiting && key.kind != KeyEventKind::Release => *key,
            // A change of the size or the focus can arrive between the keys of a report.
            _ => {
                passed.push_back(event);
                return None;
            }
        };
        if self.held.is_empty() {
            if is_alt(key, ']') {
                self.held.push(event);
            } else {
                passed.push_back(event);
            }
            return None;
        }
        self.held.push(event);
        let is_end = key.code == KeyCode::Char('g') && key.modifiers == KeyModifiers::CONTROL
            || is_alt(key, '\\')
            || (self.report.ends_with('\u{1b}') && key.code == KeyCode::Char('\\'));
        if is_end && let Some(background) = parse(self.report.trim_end_matches('\u{1b}')) {
            *self = Self::default();
            return Some(background);
        }
        match key.code {
            KeyCode::Char(character) if key.modifiers.difference(KeyModifiers::SHIFT).is_empty() => {
                self.report.push(character);
            }
            // A string terminator whose two bytes arrived one by one.
            KeyCode::Esc => self.report.push('\u{1b}'),
            _ => self.report.push('\u{fffd}'),
        }
        if is_end || !is_beginning(&self.report) {
            passed.extend(self.held.drain(..));
            self.report.clear();
        }
        None
    }
}

fn is_alt(key: KeyEvent, character: char) -> bool {
    key.code == KeyCode::Char(character) && key.modifiers == KeyModifiers::ALT
}

/// Returns true if a text can be the beginning of a report.
fn is_beginning(text: &str) -> bool {
    let rest = match text.strip_prefix(PREFIX) {
        None => return PREFIX.starts_with(text),
        Some(rest) => rest.strip_suffix('\u{1b}').unwrap_or(rest),
    };
    let rest = rest.strip_prefix('a').unwrap_or(rest);
    let is_color = rest.strip_prefix(':').map_or(rest.is_empty(), |colors| {
        colors.chars().all(|character| character.is_ascii_hexdigit() || character == '/')
    });
    is_color && text.len() <= MAX_REPORT.saturating_add(1)
}

/// Parses a report without its introducer and terminator, such as `11;rgb:ffff/ffff/dddd`.
fn parse(report: &str) -> Option<Background> {
    let rest = report.strip_prefix(PREFIX)?;
    let colors = rest.strip_prefix('a').unwrap_or(rest).strip_prefix(':')?;
    let mut parts = colors.split('/').map(parse_component);
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    // The weights of ITU-R BT.601, in thousandths.
    let light =
        red.checked_mul(299)?.checked_add(green.checked_mul(587)?)?.checked_add(blue.checked_mul(114)?)?;
    Some(if light > 500 * 1_000 { Background::Light } else { Background::Dark })
}

/// Parses a component of one to four hexadecimal digits, and returns it in thousandths.
fn parse_component(digits: &str) -> Option<u64> {
    let count = u32::try_from(digits.len()).ok().filter(|count| (1..=4).contains(count))?;
    let value = u64::from_str_radix(digits, 16).ok()?;
    let most = 16_u64.checked_pow(count)?.checked_sub(1)?;
    value.checked_mul(1_000)?.checked_div(most)
}

#[cfg(test)]
mod tests;
