//! Repair of a text that is nearly JSON, with a report of every repair (RULES J8).

mod mend;
mod report;

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use crate::repair::mend::{MendedValue, mend};
use crate::repair::report::Report;
use crate::{Error, ErrorKind, JsonLimits, Parser};

pub use report::{Repair, RepairKind};

/// A text that a strict parse accepts, and the repairs that made it acceptable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairedText {
    /// The repaired text.
    pub text: String,
    /// The repairs, one entry per kind, in text order; empty if the text needed no repair.
    pub repairs: Vec<Repair>,
}

/// Repairs a text that is nearly JSON, if it has only one plausible reading.
///
/// [`RepairKind`] is the closed list of repairs. Truncation is never repaired: the function does not close an
/// open string, does not accept a number at the very end as complete, and does not invent a member or an
/// element after a comma or a colon. A second object or array after the first is an error unless both have
/// the same value.
///
/// Validate the repaired text again before it is executed, against the tool's schema and by policy.
///
/// ```
/// use windlass_partial_json::{JsonLimits, RepairKind, repair};
///
/// let repaired = repair("```json\n{'path': 'a.rs', 'lines': [1, 2,],\n```", JsonLimits::default());
/// assert!(repaired.is_err(), "a comma says that more was to come");
/// let repaired = repair("```json\n{'path': 'a.rs', 'lines': [1, 2,]\n```", JsonLimits::default())?;
/// assert_eq!(repaired.text, "{\"path\": \"a.rs\", \"lines\": [1, 2]}");
/// let kinds: Vec<_> = repaired.repairs.iter().map(|repair| repair.kind).collect();
/// let expected = [RepairKind::CodeFence, RepairKind::SingleQuotes, RepairKind::TrailingComma, RepairKind::MissingBracket];
/// assert_eq!(kinds, expected);
/// # Ok::<(), windlass_partial_json::Error>(())
/// ```
///
/// # Errors
/// The text cannot be repaired, or exceeds a limit. The offset is the place where repair stopped, or, if the
/// text is still invalid after all repairs, the first error of a strict parse. In JSON that was encoded twice
/// the offset counts from the start of the inner text.
pub fn repair(text: &str, limits: JsonLimits) -> Result<RepairedText, Error> {
    let mut report = Report::default();
    if text.len() > limits.bytes {
        return Err(Error::new(ErrorKind::TooLong, limits.bytes));
    }
    let (mut text, mut is_inner) = (repair_once(text, limits, &mut report)?, false);
    while !is_inner && let Some(inner) = decode_string(&text) {
        report.note(RepairKind::DoubleEncoding, 0);
        text = repair_once(&inner, limits, &mut report)?;
        // A code fence inside the string may hold any text. Only an object or an array counts as double
        // encoding.
        if !text.trim_start().starts_with(['{', '[']) {
            return Err(Error::new(ErrorKind::ExpectedValue, 0));
        }
        is_inner = true;
    }
    Ok(RepairedText { text, repairs: report.repairs })
}

fn repair_once(text: &str, limits: JsonLimits, report: &mut Report) -> Result<String, Error> {
    let Err(error) = check(text, limits) else { return Ok(text.to_owned()) };
    if matches!(error.kind(), ErrorKind::TooDeep | ErrorKind::TooLong | ErrorKind::TooManyValues) {
        return Err(error);
    }
    let (text, start) = strip_fence(text, report);
    let mended = mend(text, start, limits, report)?;
    check_rest(text, &mended, limits, report)?;
    // Report the error of the original text: offsets in the repaired text mean nothing to the caller.
    check(&mended.text, limits).map_err(|_| error)?;
    Ok(mended.text)
}

fn check(text: &str, limits: JsonLimits) -> Result<(), Error> {
    let mut parser = Parser::with_limits(limits);
    parser.push(text)?;
    parser.check()
}

const FENCE: &str = "```";

/// Returns the text without a closing code fence, and the offset of its content after the opening fence line.
fn strip_fence<'a>(text: &'a str, report: &mut Report) -> (&'a str, usize) {
    let start = text.len().saturating_sub(text.trim_start().len());
    let Some(after) = text.get(start..).and_then(|text| text.strip_prefix(FENCE)) else {
        return (text, start);
    };
    report.note(RepairKind::CodeFence, start);
    let body =
        after.trim_start_matches('`').trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
    let start = text.len().saturating_sub(body.len());
    // Stripping backquotes cannot damage a string: a string's closing quote follows its last backquote.
    let end = text.trim_end().trim_end_matches('`').len().max(start);
    (text.get(..end).unwrap_or(text), start)
}

/// Accepts prose, extra closing brackets and repetitions of the same value after the first value; refuses a
/// different second value.
fn check_rest(text: &str, first: &MendedValue, limits: JsonLimits, report: &mut Report) -> Result<(), Error> {
    let mut at = first.end;
    loop {
        let rest = text.get(at..).unwrap_or_default().trim_start();
        if rest.is_empty() {
            return Ok(());
        }
        let start = text.len().saturating_sub(rest.len());
        report.note(RepairKind::TrailingText, start);
        if !rest.starts_with(['{', '[']) {
            return Ok(());
        }
        // Two different values: the intended one is ambiguous.
        match mend(text, start, limits, &mut Report::default()) {
            Ok(again) if is_same(&again.text, &first.text) => at = again.end,
            _ => return Err(Error::new(ErrorKind::TrailingText, start)),
        }
    }
}

fn is_same(left: &str, right: &str) -> bool {
    let value = |text| serde_json::from_str::<serde_json::Value>(text).ok();
    value(left).is_some_and(|left| Some(left) == value(right))
}

/// Returns the content of the string if `text` is one JSON string that contains an object, an array or a code
/// fence.
fn decode_string(text: &str) -> Option<String> {
    text.trim_start().starts_with('"').then_some(())?;
    let inner: String = serde_json::from_str(text).ok()?;
    let begins = inner.trim_start();
    (begins.starts_with(['{', '[']) || begins.starts_with(FENCE)).then_some(inner)
}
