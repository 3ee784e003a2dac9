//! Text of a replaced place: the bytes of context lines come from the file, and only added lines from the
//! model (RULES E3).

use std::borrow::Cow;
use std::ops::Range;

use similar::DiffTag;

use crate::compare::operations;
use crate::effort::Effort;
use crate::lines::{Likeness, Line, split};

/// Returns the new text for an exact match. `near` is the line end used around the place.
pub(crate) fn exact<'n>(near: &str, old: &str, new: &'n str) -> Cow<'n, str> {
    // If the old text contains line ends, they matched exactly, so those of the new text are correct too.
    if near == "\n" || !new.contains('\n') || new.contains("\r\n") || old.contains('\n') {
        return Cow::Borrowed(new);
    }
    Cow::Owned(new.replace('\n', "\r\n"))
}

/// Returns the new text for a tolerant match: lines that the model did not change keep the file's bytes, and
/// new lines get the line end of their neighbours. `near` is the line end used around the place.
pub(crate) fn forgiving(
    (body, near): (&str, &str),
    place: &Range<usize>,
    (old, new): (&str, &str),
    likeness: Likeness,
    effort: &Effort,
) -> String {
    let have = split(body.get(place.clone()).unwrap_or(""));
    let (old, new) = (split(old), split(new));
    let plain = |lines: &[Line<'_>]| {
        lines.iter().map(|line| likeness.part_to_compare(line.text).into_owned()).collect()
    };
    let (old_plain, new_plain): (Vec<String>, Vec<String>) = (plain(&old), plain(&new));
    // The old text ends its last line and the file does not: the missing final newline stays missing.
    let ends = |lines: &[Line<'_>]| lines.last().is_some_and(|line| !line.end.is_empty());
    let endless = ends(&old) && !ends(&have);
    let mut text = String::new();
    let mut count = 0;
    let mut put = |words: &str, own_end: Option<&str>, end: &str, stays: bool| {
        count += 1;
        text.push_str(words);
        let own_end = own_end.filter(|own| !own.is_empty());
        let last = count == new.len();
        // An unchanged line keeps its end, even if it is now the last line.
        if !end.is_empty() && (!last || !endless || (stays && own_end.is_some())) {
            text.push_str(own_end.unwrap_or(near));
        }
    };
    for operation in operations(&old_plain, &new_plain, effort) {
        let equal = operation.tag() == DiffTag::Equal;
        let mut kept = have.get(operation.old_range()).unwrap_or_default().iter();
        for line in new.get(operation.new_range()).unwrap_or_default() {
            match kept.next() {
                Some(file) if equal => put(file.text, Some(file.end), line.end, true),
                Some(file) => put(line.text, Some(file.end), line.end, false),
                None => put(line.text, None, line.end, false),
            }
        }
    }
    text
}
