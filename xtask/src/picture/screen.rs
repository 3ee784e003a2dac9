//! The lines of the picture: parts of a run, without the values that differ from run to run.

use anyhow::{Context, Result, bail};
use regex::Regex;

/// The width of the terminal, in characters.
pub(super) const COLUMNS: usize = 100;

/// The greatest number of lines of a picture.
const MAX_LINES: usize = 45;

/// Characters between two tab stops.
const TAB: usize = 8;

/// A line of the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Text(String),
    /// A number of lines of the run that the picture leaves out.
    Gap(usize),
}

/// A part of the run: from the line that begins with `from` to before the line that `end` names.
struct Section {
    from: &'static str,
    end: SectionEnd,
}

enum SectionEnd {
    /// The section ends before the next line, so it has one line.
    Next,
    /// The section ends before the next line without text.
    Blank,
    /// The section ends before the next line that begins with this text.
    Line(&'static str),
    /// The section ends with the run.
    End,
}

/// The chosen parts, in the order of the run: the task, the turn that edits a file, the result, the decisions,
/// and the sums. The other turns read files and run the check.
const SECTIONS: [Section; 4] = [
    Section { from: "The project:", end: SectionEnd::Blank },
    Section { from: "── turn 3", end: SectionEnd::Line("── turn 4") },
    Section { from: "✓", end: SectionEnd::Next },
    Section { from: "Decisions:", end: SectionEnd::End },
];

/// Patterns of values that differ from run to run or from machine to machine, with their replacements.
const VARYING: [(&str, &str); 5] = [
    ("^The project: .*", "The project: …"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:…"),
    (r"Time: \d+ ms", "Time: … ms"),
    (r"^Journal: .*", "Journal: …"),
    (r"sandbox: [^\]]+", "sandbox: …"),
];

/// Returns the lines of the picture for the output of a run. Fails if the run lacks a chosen part or
/// printed control characters.
pub(super) fn picture_lines(output: &[String]) -> Result<Vec<Line>> {
    if let Some(line) =
        output.iter().find(|line| line.contains(|sign: char| sign.is_control() && sign != '\t'))
    {
        bail!("the picture cannot show control characters, such as colours: {line:?}");
    }
    if output.iter().any(|line| line.contains("sandbox: none")) {
        bail!(
            "the picture needs a machine that can confine commands: `cargo run -- doctor` says what is missing"
        );
    }
    let mut lines = Vec::new();
    for line in select(&replace_varying(output)?, &SECTIONS)? {
        match line {
            Line::Text(text) => lines.extend(wrap(&expand_tabs(&text)).into_iter().map(Line::Text)),
            Line::Gap(count) => lines.push(Line::Gap(count)),
        }
    }
    if lines.len() > MAX_LINES {
        bail!(
            "the chosen sections have {} lines, and a picture has at most {MAX_LINES}: choose shorter sections",
            lines.len()
        );
    }
    Ok(lines)
}

/// Replaces the values that differ from run to run.
fn replace_varying(output: &[String]) -> Result<Vec<String>> {
    let mut lines = output.to_vec();
    for (pattern, replacement) in VARYING {
        let pattern = Regex::new(pattern).with_context(|| format!("the pattern `{pattern}`"))?;
        for line in &mut lines {
            *line = pattern.replace_all(line, replacement).into_owned();
        }
    }
    Ok(lines)
}

/// Returns the lines of the sections, with a gap wherever lines with text are left out between two sections,
/// and an empty line otherwise.
fn select(output: &[String], sections: &[Section]) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    let mut rest = output;
    for section in sections {
        let from = section.from;
        let begin = rest.iter().position(|line| line.starts_with(from));
        let begin =
            begin.with_context(|| format!("the demo printed no line that begins with `{from}` here"))?;
        let (skipped, at_begin) = rest.split_at(begin);
        let (part, behind) = at_begin.split_at(section.end.length(at_begin)?);
        if !lines.is_empty() {
            let has_text = skipped.iter().any(|line| !line.is_empty());
            lines.push(if has_text { Line::Gap(skipped.len()) } else { Line::Text(String::new()) });
        }
        lines.extend(part.iter().cloned().map(Line::Text));
        rest = behind;
    }
    Ok(lines)
}

impl SectionEnd {
    /// Returns the number of lines of a section that begins with the first of `lines`.
    fn length(&self, lines: &[String]) -> Result<usize> {
        let after_first = |is_end: &dyn Fn(&str) -> bool| {
            lines.iter().skip(1).position(|line| is_end(line)).map(|at| at.saturating_add(1))
        };
        match self {
            Self::Next => Ok(1),
            Self::Blank => after_first(&str::is_empty).context("the demo printed no line without text here"),
            Self::Line(text) => after_first(&|line| line.starts_with(text))
                .with_context(|| format!("the demo printed no line that begins with `{text}` here")),
            Self::End => Ok(lines.len()),
        }
    }
}

/// Replaces each tab with the spaces to the next tab stop.
fn expand_tabs(line: &str) -> String {
    let mut expanded = String::new();
    let mut column: usize = 0;
    for sign in line.chars() {
        if sign == '\t' {
            let width = TAB.saturating_sub(column % TAB);
            expanded.push_str(&" ".repeat(width));
            column = column.saturating_add(width);
        } else {
            expanded.push(sign);
            column = column.saturating_add(1);
        }
    }
    expanded
}

/// Cuts a line at the terminal's width, as a terminal does. The demo prints only characters of one column.
fn wrap(line: &str) -> Vec<String> {
    if line.is_empty() {
        return vec![String::new()];
    }
    let signs: Vec<char> = line.chars().collect();
    signs.chunks(COLUMNS).map(|row| row.iter().collect()).collect()
}

#[cfg(test)]
mod tests;
