//! Output of a search: lines, files or counts, in path order, with exact totals.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use std::path::Path;

use windlass_redact::Redactor;
use windlass_sandbox::{Descent, FileError, Workspace, WorkspacePath};
use windlass_text::count_noun;
use windlass_tool::{PathGate, ToolError};

use crate::collect::{Lines, Page, Tally};
use crate::grep::{GrepArguments, Mode};
use crate::pattern::{MAX_LINE_BYTES, SearchCriteria};
use crate::search::{Stoppable, Stopped, decode_file, read_whole, search};

const DEFAULT_LIMIT: u64 = 200;
const MAX_LIMIT: u64 = 2_000;
const CUT: &str = "; the search was stopped before its end";

/// Performs a search and returns its result as text for the model.
pub(crate) fn grep(
    workspace: &Workspace,
    arguments: &GrepArguments,
    (redactor, gate): (Redactor, PathGate),
    stopped: Stopped<'_>,
) -> Result<String, ToolError> {
    let wanted = SearchCriteria::new(arguments)?;
    let path = workspace.resolve(arguments.path.as_deref().unwrap_or(".")).map_err(to_tool_error)?;
    if path.is_output() {
        return Err(ToolError::model(format!("`{path}` is a spilled output, which is not searched"))
            .with_advice("Page it with read_file."));
    }
    let start = workspace.absolute(&path).map_err(to_tool_error)?;
    let tally = search(workspace, &start, &wanted, &gate, stopped);
    let left_out = left_out(&tally);
    if tally.lines == 0 && tally.is_cut {
        return Err(ToolError::model(format!(
            "the search in {path} was stopped before its end, and found nothing until then{}",
            left_out.trim_start_matches(CUT)
        )));
    }
    if tally.lines == 0 {
        return Ok(format!(
            "[nothing found in {path}{left_out}; hidden, binary and git-ignored files were not searched]"
        ));
    }
    let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let skip = arguments.offset.unwrap_or(0);
    Ok(match arguments.mode.unwrap_or_default() {
        Mode::Lines => {
            let page = Page { text: String::new(), skip, limit, shown: 0, redactor };
            lines(workspace, &wanted, &tally, page, (skip, &left_out), stopped)
        }
        mode => files(&tally, mode, (skip, limit), &left_out),
    })
}

/// Searches the files of the requested page again for their lines, in path order: the walk has visited all
/// files in thread order and only counted.
fn lines(
    workspace: &Workspace,
    wanted: &SearchCriteria,
    tally: &Tally,
    mut page: Page,
    (skip, left_out): (u64, &str),
    stopped: Stopped<'_>,
) -> String {
    let (mut searcher, mut descent) = (wanted.shower(), Descent::new(workspace));
    for (below, count) in &tally.files {
        if page.is_full() || stopped() {
            break;
        }
        if page.skip >= *count {
            page.skip = page.skip.saturating_sub(*count);
            continue;
        }
        let Ok(stream) = descent.stream(below) else { continue };
        let name = stream.path().to_string();
        // If the file is not UTF-8, the walk has counted the lines of the decoded text.
        let text = if is_utf8(&mut descent, below, stopped) {
            None
        } else {
            decode_file(&mut descent, below, stopped)
        };
        let clean = clean_lines(&mut descent, below, text.as_deref(), &page.redactor, stopped);
        let (held, context) = (VecDeque::new(), wanted.context());
        let mut sink = Lines { path: &name, page: &mut page, clean, follows: false, held, context };
        // If a file becomes unreadable meanwhile, show the lines found before.
        let _ = match text {
            Some(text) => searcher.search_slice(&wanted.matcher, text.as_bytes(), &mut sink),
            None => searcher.search_reader(&wanted.matcher, Stoppable::new(stream, stopped), &mut sink),
        };
    }
    let (shown, found, files) = (page.shown, tally.lines, tally.matched);
    let more = more(skip, shown, found);
    let files = count_noun(files, "file");
    format!("[{shown} of {found} matching lines shown, from {files}{more}{left_out}]\n{}", page.text)
}

/// Returns the lines that contain a part of a secret, redacted, by line number, because a single line does
/// not show a part of a multi-line secret. `decoded` is the text of a file that is not UTF-8.
fn clean_lines(
    descent: &mut Descent<'_>,
    below: &Path,
    decoded: Option<&str>,
    redactor: &Redactor,
    stopped: Stopped<'_>,
) -> BTreeMap<u64, String> {
    if redactor.is_empty() {
        return BTreeMap::new();
    }
    let text = match decoded {
        Some(text) => Cow::Borrowed(text),
        // Lines of a file that is too long to load are redacted one at a time.
        None => match read_whole(descent, below, stopped) {
            Some(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
            None => return BTreeMap::new(),
        },
    };
    let Cow::Owned(clean) = redactor.redact_lines(&text) else { return BTreeMap::new() };
    let lines = (1..).zip(text.split_inclusive('\n').zip(clean.split_inclusive('\n')));
    lines.filter(|(_, (line, clean))| line != clean).map(|(at, (_, clean))| (at, clean.to_owned())).collect()
}

fn is_utf8(descent: &mut Descent<'_>, below: &Path, stopped: Stopped<'_>) -> bool {
    let Ok(stream) = descent.stream(below) else { return true };
    let mut source = Stoppable::new(stream, stopped);
    // Ignore the error: the search itself reports an unreadable file.
    let _ = std::io::copy(&mut source, &mut std::io::sink());
    !source.is_odd()
}

/// Returns the names of the files, with counts in mode `count`.
fn files(tally: &Tally, mode: Mode, (skip, limit): (u64, u64), left_out: &str) -> String {
    let mut text = String::new();
    let mut shown: u64 = 0;
    let first = usize::try_from(skip).unwrap_or(usize::MAX);
    for (below, count) in tally.files.iter().skip(first).take(usize::try_from(limit).unwrap_or(usize::MAX)) {
        let Ok(path) = WorkspacePath::from_walk(below) else { continue };
        // Writing into a string cannot fail.
        let _ = match mode {
            Mode::Count => writeln!(text, "{path}: {count}"),
            Mode::Lines | Mode::Files => writeln!(text, "{path}"),
        };
        shown = shown.saturating_add(1);
    }
    let (found, files) = (tally.lines, tally.matched);
    let rest = more(skip, shown, files);
    let found = count_noun(found, "matching line");
    format!("[{shown} of {files} files shown, with {found} in all{rest}{left_out}]\n{text}")
}

fn more(skip: u64, shown: u64, all: u64) -> String {
    let next = skip.saturating_add(shown);
    let mut words = String::new();
    if skip > 0 {
        // Writing into a string cannot fail.
        let _ = write!(words, "; the first {} were passed over", skip.min(all));
    }
    if next < all {
        // Writing into a string cannot fail.
        let _ = write!(words, "; narrow the pattern, path or glob, or continue with offset {next}");
    }
    words
}

fn left_out(tally: &Tally) -> String {
    let mut words = if tally.is_cut { CUT } else { "" }.to_owned();
    let (unread, secrets, refused) = (tally.unread, tally.secrets, tally.refused);
    // Writing into a string cannot fail.
    if unread > 0 {
        let _ = write!(
            words,
            "; unreadable or with lines over {MAX_LINE_BYTES} bytes: {}",
            count_noun(unread, "file")
        );
    }
    if secrets > 0 {
        let _ = write!(
            words,
            "; passed over for names of secrets, which are searched by name only: {}",
            count_noun(secrets, "file")
        );
    }
    if refused > 0 {
        let _ = write!(words, "; left out because of rules: {}", count_noun(refused, "file"));
    }
    if !tally.lost_rules.is_empty() {
        let names = tally.lost_rules.join(" and ");
        let _ = write!(words, "; {names} cannot be read, so no file of that name was applied");
    }
    words
}

fn to_tool_error(error: impl Into<FileError>) -> ToolError {
    ToolError::model(error.into())
}
