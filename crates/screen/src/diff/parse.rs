//! Parser of unified diffs, as git and `windlass_text::diff` write them.

/// Kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// The name of a file.
    File,
    /// Left out lines between two hunks.
    Gap,
    Context,
    Removed,
    Added,
    /// A remark, such as a rename or the mark of a missing line feed.
    Note,
}

/// Line of a diff.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'t> {
    pub(super) kind: RowKind,
    /// The text without its sign.
    pub(super) text: &'t str,
    /// The line number in the old file for a removed line, otherwise in the new file.
    pub(super) number: Option<usize>,
    /// Added and removed lines of a file.
    pub(super) added: usize,
    pub(super) removed: usize,
}

/// Position in a diff.
#[derive(Debug, Default)]
struct Position {
    old: usize,
    new: usize,
    /// Lines of the current hunk that are missing on each side.
    old_left: usize,
    new_left: usize,
    /// Index of the row of the current file.
    file: Option<usize>,
    has_hunk: bool,
}

/// The lines of git before the name of a file. Their notes follow the name.
struct Header<'t> {
    names: &'t str,
    notes: Vec<Row<'t>>,
}

impl<'t> Header<'t> {
    /// Returns the rows of a file without hunks, such as a renamed one.
    fn into_rows(self) -> impl Iterator<Item = Row<'t>> {
        let name = self.names.rsplit_once(" b/").map_or(self.names, |(_, name)| name);
        std::iter::once(row(RowKind::File, name, None)).chain(self.notes)
    }
}

/// Returns the lines of a diff. Lines that do not belong to a hunk are notes.
pub(super) fn rows(diff: &str) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut at = Position::default();
    let mut header: Option<Header<'_>> = None;
    let mut old_name = "";
    for line in diff.lines() {
        if at.old_left > 0 || at.new_left > 0 {
            push_hunk_line(line, &mut at, &mut rows);
        } else if let Some(names) = line.strip_prefix("diff --git ") {
            let before = header.replace(Header { names, notes: Vec::new() });
            rows.extend(before.into_iter().flat_map(Header::into_rows));
        } else if let Some(name) = line.strip_prefix("--- ") {
            old_name = name;
        } else if let Some(name) = line.strip_prefix("+++ ") {
            let name = if name == "/dev/null" { old_name } else { name };
            at.file = Some(rows.len());
            at.has_hunk = false;
            rows.push(row(RowKind::File, remove_letter(name), None));
            rows.extend(header.take().into_iter().flat_map(|header| header.notes));
        } else if let Some((old, new)) = line.strip_prefix("@@ ").and_then(hunk) {
            if at.has_hunk {
                rows.push(row(RowKind::Gap, "", None));
            }
            at.has_hunk = true;
            ((at.old, at.old_left), (at.new, at.new_left)) = (old, new);
        } else if !line.starts_with("index ") && !line.is_empty() {
            header.as_mut().map_or(&mut rows, |header| &mut header.notes).push(row(
                RowKind::Note,
                line,
                None,
            ));
        }
    }
    rows.extend(header.into_iter().flat_map(Header::into_rows));
    rows
}

fn row(kind: RowKind, text: &str, number: Option<usize>) -> Row<'_> {
    Row { kind, text, number, added: 0, removed: 0 }
}

fn push_hunk_line<'t>(line: &'t str, at: &mut Position, rows: &mut Vec<Row<'t>>) {
    let (sign, text) = (line.chars().next(), line.get(1..).unwrap_or_default());
    let file = at.file.and_then(|index| rows.get_mut(index));
    match sign {
        Some('+') => {
            if let Some(file) = file {
                file.added = file.added.saturating_add(1);
            }
            rows.push(row(RowKind::Added, text, Some(at.new)));
            at.new = at.new.saturating_add(1);
            at.new_left = at.new_left.saturating_sub(1);
        }
        Some('-') => {
            if let Some(file) = file {
                file.removed = file.removed.saturating_add(1);
            }
            rows.push(row(RowKind::Removed, text, Some(at.old)));
            at.old = at.old.saturating_add(1);
            at.old_left = at.old_left.saturating_sub(1);
        }
        // Some programs remove the space of an empty line.
        Some(' ') | None => {
            rows.push(row(RowKind::Context, text, Some(at.new)));
            (at.old, at.new) = (at.old.saturating_add(1), at.new.saturating_add(1));
            at.old_left = at.old_left.saturating_sub(1);
            at.new_left = at.new_left.saturating_sub(1);
        }
        Some('\\') => rows.push(row(RowKind::Note, line, None)),
        // The diff was cut inside of the hunk.
        Some(_) => {
            (at.old_left, at.new_left) = (0, 0);
            rows.push(row(RowKind::Note, line, None));
        }
    }
}

/// Removes the letter that a diff puts before names.
fn remove_letter(name: &str) -> &str {
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name)
}

/// Parses `-1,2 +1,3 @@`: the first line and the number of lines on each side.
fn hunk(header: &str) -> Option<((usize, usize), (usize, usize))> {
    let mut words = header.split(' ');
    let range = |word: &str| {
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let old = range(words.next()?.strip_prefix('-')?)?;
    let new = range(words.next()?.strip_prefix('+')?)?;
    Some((old, new))
}
