//! Removal of the wrappers that models put around a patch: fences, here-documents, foreign line ends.

use crate::patch::PatchError;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// Returns the lines between the first and the last line of the patch, and the number of the first of them.
pub(crate) fn unwrap(text: &str) -> Result<(Vec<&str>, usize), PatchError> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    // If every line of a patch ends with a carriage return, the patch was written on another system.
    let last = lines.pop().filter(|last| !last.is_empty());
    if !lines.is_empty() && lines.iter().all(|line| line.ends_with('\r')) {
        for line in &mut lines {
            *line = line.strip_suffix('\r').unwrap_or(line);
        }
    }
    lines.extend(last);
    let mut rest = lines.as_slice();
    let blank = |line: &&str| line.trim().is_empty();
    let mut first_number = 1_usize;
    loop {
        while let Some((_, inner)) = rest.split_first().filter(|(line, _)| blank(line)) {
            rest = inner;
            first_number = first_number.saturating_add(1);
        }
        while let Some((_, inner)) = rest.split_last().filter(|(line, _)| blank(line)) {
            rest = inner;
        }
        match rest {
            [first, inner @ .., last] if wraps(first, last) => {
                rest = inner;
                first_number = first_number.saturating_add(1);
            }
            _ => break,
        }
    }
    match rest {
        [first, inner @ .., last] if first.trim() == BEGIN && last.trim() == END => {
            Ok((inner.to_vec(), first_number.saturating_add(1)))
        }
        [first, ..] if first.trim() == BEGIN => Err(PatchError::NoEnd),
        _ => Err(PatchError::NoBegin),
    }
}

/// Returns whether two lines are a fence or a here-document around the lines between them.
fn wraps(first: &str, last: &str) -> bool {
    let (first, last) = (first.trim(), last.trim());
    if first.starts_with("```") {
        return last == "```";
    }
    let word = first.rsplit_once("<<").map(|(_, word)| word.trim_start_matches('-').trim());
    let word = word.map(|word| word.trim_matches(['\'', '"']));
    word.is_some_and(|word| !word.is_empty() && word == last)
}
