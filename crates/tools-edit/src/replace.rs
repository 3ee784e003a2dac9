//! What stands in a place after the edit: context bytes come from the file, only added lines from the model
//! (RULES E3).

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::lines::{Likeness, Line, end_near, split};

/// The text that takes a place where the old text was found byte for byte.
pub(crate) fn exact(body: &str, place: &Range<usize>, old: &str, new: &str) -> String {
    // A model that wrote line ends in the old text matched them, so it writes the right ones.
    if old.contains('\n') || new.contains("\r\n") || end_near(body, place) == "\n" {
        return new.to_owned();
    }
    new.replace('\n', "\r\n")
}

/// The text that takes a place where something was forgiven: lines that the model did not change keep the file's
/// bytes, and new ones end as their neighbours do.
pub(crate) fn forgiving(
    body: &str,
    place: &Range<usize>,
    (old, new): (&str, &str),
    likeness: Likeness,
) -> String {
    let have = split(body.get(place.clone()).unwrap_or(""));
    let (old, new) = (split(old), split(new));
    let plain = |lines: &[Line<'_>]| lines.iter().map(|line| likeness.of(line.text).into_owned()).collect();
    let (old_plain, new_plain): (Vec<String>, Vec<String>) = (plain(&old), plain(&new));
    let near = end_near(body, place);
    // The old text ended its last line, the file does not: the missing final newline stays missing.
    let ends = |lines: &[Line<'_>]| lines.last().is_some_and(|line| !line.end.is_empty());
    let endless = ends(&old) && !ends(&have);
    let mut text = String::new();
    let mut count = 0;
    let mut put = |words: &str, own_end: Option<&str>, end: &str, stays: bool| {
        count += 1;
        text.push_str(words);
        let own_end = own_end.filter(|own| !own.is_empty());
        let last = count == new.len();
        // A line that stays keeps its end, also where it is the last now.
        if !end.is_empty() && (!last || !endless || (stays && own_end.is_some())) {
            text.push_str(own_end.unwrap_or(near));
        }
    };
    for operation in capture_diff_slices(Algorithm::Myers, &old_plain, &new_plain) {
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
