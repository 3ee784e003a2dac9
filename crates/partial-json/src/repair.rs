//! Repairs of a text that is nearly JSON, each of them reported (RULES J8).

mod mend;
mod report;

use crate::repair::mend::{Mended, mend};
use crate::repair::report::Report;
use crate::{Error, ErrorKind, Limits, Parser};

pub use report::{Repair, RepairKind};

/// A text that a strict parse accepts, and what was done for that.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The text.
    pub text: String,
    /// What was done, one entry a kind, in the order of the text; empty if there was nothing to do.
    pub repairs: Vec<Repair>,
}

/// Repairs a text that is nearly JSON, where only one value can have been meant.
///
/// The closed list of what is repaired is [`RepairKind`]. What was cut is not repaired: an open string is never
/// closed, nor a number at the very end taken for whole, nor a member or element invented that had to follow.
/// A second value after the first one is no junk, unless it says the same again.
///
/// The text may be run only after it was checked again, against the tool's schema and by policy.
///
/// ```
/// use windlass_partial_json::{Limits, RepairKind, repair};
///
/// let repaired = repair("```json\n{'path': 'a.rs', 'lines': [1, 2,],\n```", Limits::default());
/// assert!(repaired.is_err(), "a comma says that more was to come");
/// let repaired = repair("```json\n{'path': 'a.rs', 'lines': [1, 2,]\n```", Limits::default())?;
/// assert_eq!(repaired.text, "{\"path\": \"a.rs\", \"lines\": [1, 2]}");
/// let kinds: Vec<_> = repaired.repairs.iter().map(|repair| repair.kind).collect();
/// let expected = [RepairKind::CodeFence, RepairKind::SingleQuotes, RepairKind::TrailingComma, RepairKind::MissingBracket];
/// assert_eq!(kinds, expected);
/// # Ok::<(), windlass_partial_json::Error>(())
/// ```
///
/// # Errors
/// The text cannot be repaired, or is beyond a limit. The place is where repairing stopped; inside a string that
/// holds JSON it counts from that text's own start.
pub fn repair(text: &str, limits: Limits) -> Result<Repaired, Error> {
    let mut report = Report::default();
    if text.len() > limits.bytes {
        return Err(Error::new(ErrorKind::TooLong, limits.bytes));
    }
    let (mut text, mut is_inner) = (repair_once(text, limits, &mut report)?, false);
    while !is_inner && let Some(inner) = encoded(&text) {
        report.note(RepairKind::DoubleEncoding, 0);
        text = repair_once(&inner, limits, &mut report)?;
        // A fence inside of the string may hold anything; only an object or array was encoded twice.
        if !text.trim_start().starts_with(['{', '[']) {
            return Err(Error::new(ErrorKind::ExpectedValue, 0));
        }
        is_inner = true;
    }
    Ok(Repaired { text, repairs: report.repairs })
}

fn repair_once(text: &str, limits: Limits, report: &mut Report) -> Result<String, Error> {
    let Err(error) = check(text, limits) else { return Ok(text.to_owned()) };
    if matches!(error.kind(), ErrorKind::TooDeep | ErrorKind::TooLong | ErrorKind::TooManyValues) {
        return Err(error);
    }
    let (text, start) = unfenced(text, report);
    let mended = mend(text, start, limits, report)?;
    check_rest(text, &mended, limits, report)?;
    // What is still wrong is told by its place in the text that came.
    check(&mended.text, limits).map_err(|_| error)?;
    Ok(mended.text)
}

fn check(text: &str, limits: Limits) -> Result<(), Error> {
    let mut parser = Parser::with_limits(limits);
    parser.push(text)?;
    parser.check()
}

const FENCE: &str = "```";

/// The text without a closing fence at its end, and where it begins behind the opening line of a code fence.
fn unfenced<'a>(text: &'a str, report: &mut Report) -> (&'a str, usize) {
    let start = text.len().saturating_sub(text.trim_start().len());
    let Some(after) = text.get(start..).and_then(|text| text.strip_prefix(FENCE)) else {
        return (text, start);
    };
    report.note(RepairKind::CodeFence, start);
    let body =
        after.trim_start_matches('`').trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
    let start = text.len().saturating_sub(body.len());
    // Inside a string three backquotes cannot be the end of the text: its quote has to follow.
    let end = text.trim_end().trim_end_matches('`').len().max(start);
    (text.get(..end).unwrap_or(text), start)
}

/// What stands behind the first value has to be junk: prose, brackets too many, the same value again.
fn check_rest(text: &str, first: &Mended, limits: Limits, report: &mut Report) -> Result<(), Error> {
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
        // Two different values: nobody knows which one was meant.
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

/// The text of an object or array that a string holds, if the text is one of a string.
fn encoded(text: &str) -> Option<String> {
    text.trim_start().starts_with('"').then_some(())?;
    let inner: String = serde_json::from_str(text).ok()?;
    let begins = inner.trim_start();
    (begins.starts_with(['{', '[']) || begins.starts_with(FENCE)).then_some(inner)
}
