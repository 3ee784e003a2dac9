//! Application of hunks to a file, and error messages for hunks without a place.

use windlass_protocol::ErrorText;
use windlass_sandbox::WorkspacePath;
use windlass_text::{Charset, NotText, Text, Unwritable};

use crate::effort::Effort;
use crate::lines::{Likeness, Line, Lines};
use crate::nearest::report;
use crate::patch::{Hunk, HunkLine};
use crate::places::{Misfit, Order, Place};

/// Decodes a file that is to be changed. The error explains why it is not text (RULES E8).
pub(crate) fn decode<'b>(path: &WorkspacePath, bytes: &'b [u8]) -> Result<Text<'b>, ErrorText> {
    Text::decode(bytes)
        .map_err(|error: NotText| format!("`{path}` is {error}, and is not edited here").into())
}

/// Encodes a changed text in the file's encoding.
pub(crate) fn encode(path: &WorkspacePath, text: &Text<'_>, body: &str) -> Result<Vec<u8>, ErrorText> {
    text.encode(body).map_err(|error: Unwritable| match error.charset {
        Charset::Unknown => ErrorText::new(format!(
            "`{path}` is not UTF-8 text: only plain ASCII can be added to it, because its encoding is not \
             known"
        )),
        _ => ErrorText::new(format!("{error}, the encoding of `{path}`")).with_advice("Use other letters."),
    })
}

/// Applies all hunks to a file. Returns the new bytes, and the greatest tolerance that a hunk needed.
pub(crate) fn apply_hunks(
    path: &WorkspacePath,
    bytes: &[u8],
    hunks: &[Hunk],
    order: Order,
    effort: &Effort,
) -> Result<(Vec<u8>, Likeness), ErrorText> {
    if hunks.is_empty() {
        return Ok((bytes.to_vec(), Likeness::Exact));
    }
    let text = decode(path, bytes)?;
    let lines = Lines::scan(&text);
    let places =
        lines.places(hunks, order, effort).map_err(|(position, misfit)| match hunks.get(position) {
            Some(hunk) => words(path, &lines, hunk, &misfit, effort),
            None => format!("`{path}` does not fit the patch").into(),
        })?;
    let likeness = places.iter().map(|place| place.likeness).max().unwrap_or(Likeness::Exact);
    Ok((encode(path, &text, &join_hunks(&lines, hunks, &places))?, likeness))
}

/// Applies hunks at their places. Unchanged lines keep all their bytes, and added lines get the line end of
/// their neighbours.
fn join_hunks(lines: &Lines<'_>, hunks: &[Hunk], places: &[Place]) -> String {
    let mut order: Vec<(&Place, &Hunk)> = places.iter().zip(hunks).collect();
    order.sort_by_key(|(place, _)| (place.core.start, place.core.end));
    let mut text: Vec<Line<'_>> = Vec::with_capacity(lines.all.len());
    let mut at = 0;
    let mut added_last = false;
    for (place, hunk) in order {
        text.extend(lines.all.get(at..place.core.start).unwrap_or_default());
        at = place.core.start;
        let changed = hunk.lines.get(place.lines.clone()).unwrap_or_default();
        for line in changed {
            match line {
                HunkLine::Keep(_) => text.extend(lines.all.get(at)),
                HunkLine::Remove(_) => {}
                HunkLine::Add(new) => text.push(Line { text: new, end: lines.end_near(at) }),
            }
            at = at.saturating_add(usize::from(line.old().is_some()));
        }
        added_last = matches!(changed.last(), Some(HunkLine::Add(_))) && at == lines.all.len();
    }
    text.extend(lines.all.get(at..).unwrap_or_default());
    // A missing final newline stays missing. A line that lines now follow gets a line end.
    let endless = lines.all.last().is_some_and(|line| line.end.is_empty());
    let last = text.len().saturating_sub(1);
    let mut body = String::with_capacity(lines.body.len());
    for (position, line) in text.iter().enumerate() {
        body.push_str(line.text);
        match line.end {
            "" if position < last => body.push_str(lines.end_near(lines.all.len())),
            _ if position == last && endless && added_last => {}
            end => body.push_str(end),
        }
    }
    body
}

fn words(
    path: &WorkspacePath,
    lines: &Lines<'_>,
    hunk: &Hunk,
    misfit: &Misfit,
    effort: &Effort,
) -> ErrorText {
    let number = hunk.number;
    match misfit {
        Misfit::Anchor(anchor) => {
            format!("`{path}` has no line `{anchor}`, which line {number} of the patch names").into()
        }
        Misfit::Missing => {
            let problem =
                format!("the lines that the patch expects at its line {number} do not occur in `{path}`.");
            match report(lines, &hunk.old(), effort) {
                Some(near) => near.map_problem(|near| format!("{problem} The nearest is {near}")),
                None => problem.into(),
            }
        }
        Misfit::Ambiguous(lines) => {
            let lines: Vec<String> = lines.iter().take(20).map(ToString::to_string).collect();
            ErrorText::new(format!(
                "the place at line {number} of the patch could be any of the lines {} of `{path}`",
                lines.join(", ")
            ))
            .with_advice("Add lines around it, or name a line for it, until it is the only one.")
        }
        Misfit::Halted(halt) => ErrorText::from(*halt).map_problem(|halt| {
            format!("no place was found for line {number} of the patch in `{path}`: {halt}")
        }),
        Misfit::Overlap => {
            format!("two parts of the patch change the same lines of `{path}` (line {number})").into()
        }
    }
}

/// Describes the current text of a changed file near the first hunk (RULES E5).
pub(crate) fn now_near(bytes: &[u8], hunks: &[Hunk], effort: &Effort) -> Option<String> {
    let text = Text::decode(bytes).ok()?;
    report(&Lines::scan(&text), &hunks.first()?.old(), effort).map(|near| near.problem)
}
