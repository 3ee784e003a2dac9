//! The lines of a call.

use std::time::Duration;

use ratatui_core::text::{Line, Span};
use windlass_text::count_noun;

use super::{CallState, CallView};
use crate::code::highlight;
use crate::diff::{DiffLimits, render_counted};
use crate::fold::{ends, more_lines};
use crate::line::{add_prefix, wrap_prefixed, wrap_verbatim};
use crate::options::RenderOptions;
use crate::safe::escape_line;
use crate::status::format_duration;
use crate::theme::Role;
use crate::width::{cut, cut_start, text_width};

/// Lines of a result that are displayed at its beginning and at its end.
const RESULT: (usize, usize) = (6, 3);
/// Lines of a written text that are displayed in the history.
const WRITTEN: (usize, usize) = (8, 2);
/// Tools whose result is the list that their arguments contain.
const LISTS: [&str; 2] = ["update_todo_list", "update_plan"];
/// Other arguments that are displayed.
const OTHERS: usize = 6;

/// Renders a call that has not ended.
pub(super) fn live(
    call: &CallView,
    rows: usize,
    elapsed: Option<Duration>,
    options: RenderOptions,
) -> Vec<Line<'static>> {
    let room = rows.saturating_sub(1);
    let mut lines = Vec::new();
    let inner = options.indent(2);
    if !call.output.is_empty() {
        let text = call.output.last_lines(room).join("\n");
        lines.extend(wrap_verbatim(&text, Role::Result, 0, inner));
    } else if let (CallState::Writing, Some(written)) = (&call.state, call.arguments.find_written_text()) {
        let from = start_of_last_lines(written.text, room);
        let text = written.text.get(from..).unwrap_or_default();
        lines.extend(highlight(text, written.language, &inner));
    } else {
        lines.extend(others(call, inner));
    }
    let surplus = lines.len().saturating_sub(room);
    lines.drain(..surplus);
    let mut all = vec![header(call, elapsed, options)];
    all.extend(add_prefix(&Span::raw("  "), lines));
    all
}

/// Renders a call for the history.
pub(super) fn whole(
    call: &CallView,
    elapsed: Option<Duration>,
    options: RenderOptions,
) -> Vec<Line<'static>> {
    let inner = options.indent(2);
    let is_shown_by_result = is_shown_by_result(call);
    let mut lines = if is_shown_by_result { Vec::new() } else { others(call, inner) };
    if let Some(written) = call.arguments.find_written_text().filter(|_| !is_shown_by_result) {
        let (head, hidden, tail) = ends(written.text, WRITTEN.0, WRITTEN.1);
        lines.extend(fold(highlight(&head.join("\n"), written.language, &inner), (12, 4), inner));
        if hidden > 0 {
            lines.push(more_lines(hidden, 0, inner));
            lines.extend(fold(highlight(&tail.join("\n"), written.language, &inner), (6, 6), inner));
        }
    }
    for note in &call.notes {
        lines.extend(wrap_prefixed(inner.span(Role::Faint, "· "), note, Role::Faint, inner));
    }
    match &call.state {
        CallState::Denied { rule, reason } => {
            let rule = if rule.is_empty() { String::new() } else { format!(" ({rule})") };
            let text = format!("not allowed: {reason}{rule}");
            lines.extend(wrap_prefixed(inner.span(Role::Error, ""), &text, Role::Error, inner));
        }
        CallState::Ended { status, text, images } => {
            let role = if status == "ok" { Role::Result } else { Role::Error };
            lines.extend(result(text, role, inner));
            if *images > 0 {
                lines.push(Line::from(inner.span(Role::Faint, count_noun(*images, "picture"))));
            }
        }
        _ => {}
    }
    let mut all = vec![header(call, elapsed, options)];
    all.extend(add_prefix(&Span::raw("  "), lines));
    all
}

/// Returns whether the result of a call displays the content of its arguments: the diff of a change, or the list of
/// tasks.
fn is_shown_by_result(call: &CallView) -> bool {
    let CallState::Ended { status, text, .. } = &call.state else { return false };
    status == "ok" && (LISTS.contains(&call.tool.as_str()) || find_diff(text).is_some())
}

/// Returns the text before a diff and the diff, if a result has one.
fn find_diff(text: &str) -> Option<(&str, &str)> {
    let is_diff = |rest: &str| rest.starts_with("--- ") || rest.starts_with("diff --git ");
    if is_diff(text) {
        return Some(("", text));
    }
    // The tools that change files write one sentence before the diff.
    let (words, rest) = text.split_once('\n')?;
    is_diff(rest).then_some((words, rest))
}

/// Renders the state, the tool, its most important argument and the time on one line.
fn header(call: &CallView, elapsed: Option<Duration>, options: RenderOptions) -> Line<'static> {
    let (mark, role) = mark(&call.state);
    let status = match &call.state {
        CallState::Ended { status, .. } if status != "ok" => format!(" · {}", escape_line(status)),
        CallState::Denied { .. } => " · denied".to_owned(),
        CallState::Deferred => " · continues elsewhere".to_owned(),
        _ => String::new(),
    };
    let time = elapsed.map(|elapsed| format!(" · {}", format_duration(elapsed))).unwrap_or_default();
    let end = status + &time;
    let tool = cut(&escape_line(&call.tool), options.columns.saturating_sub(2));
    let used = 2_usize.saturating_add(text_width(&tool)).saturating_add(text_width(&end));
    let room = options.columns.saturating_sub(used).saturating_sub(1);
    let mut spans = vec![options.span(role, format!("{mark} ")), options.span(Role::Call, tool)];
    if let Some(headline) = call.arguments.headline().filter(|_| room >= 4) {
        let headline = escape_line(&headline);
        spans.push(Span::raw(" "));
        spans.push(if call.arguments.has_path() {
            options.span(Role::Path, cut_start(&headline, room))
        } else {
            options.span(Role::Code, cut(&headline, room))
        });
    }
    let left = options.columns.saturating_sub(spans.iter().map(|span| text_width(&span.content)).sum());
    if left > 0 {
        spans.push(options.span(Role::Faint, cut(&end, left)));
    }
    Line::from(spans.into_iter().filter(|span| !span.content.is_empty()).collect::<Vec<_>>())
}

/// Returns the mark of a state. The marks differ, because terminals without colors need them.
fn mark(state: &CallState) -> (&'static str, Role) {
    match state {
        CallState::Writing => ("◌", Role::Faint),
        CallState::Waiting => ("○", Role::Question),
        CallState::Running | CallState::Deferred => ("●", Role::Call),
        CallState::Denied { .. } => ("⊘", Role::Error),
        CallState::Ended { status, .. } if status == "ok" => ("✓", Role::Success),
        CallState::Ended { .. } => ("✗", Role::Error),
    }
}

fn others(call: &CallView, options: RenderOptions) -> Vec<Line<'static>> {
    let all = call.arguments.others();
    let mut lines: Vec<Line<'static>> = all
        .iter()
        .take(OTHERS)
        .map(|(name, value)| {
            let name = cut(&format!("{}: ", escape_line(name)), options.columns);
            let room = options.columns.saturating_sub(text_width(&name));
            Line::from(vec![
                options.span(Role::Faint, name),
                options.span(Role::Code, cut(&escape_line(value), room)),
            ])
        })
        .collect();
    let hidden = all.len().saturating_sub(OTHERS);
    if hidden > 0 {
        lines.push(Line::from(
            options.span(Role::Faint, format!("… {}", count_noun(hidden, "more argument"))),
        ));
    }
    lines
}

/// Renders a result: a diff as a diff, other text folded.
fn result(text: &str, role: Role, options: RenderOptions) -> Vec<Line<'static>> {
    let text = text.trim_end();
    if let Some((words, diff)) = find_diff(text) {
        let mut lines = Vec::new();
        if !words.is_empty() {
            lines.extend(wrap_verbatim(words, role, 0, options));
        }
        lines.extend(render_counted(diff, DiffLimits::default(), options).0);
        return lines;
    }
    let (head, hidden, tail) = ends(text, RESULT.0, RESULT.1);
    let mut lines = fold(wrap_verbatim(&head.join("\n"), role, 0, options), (12, 4), options);
    if hidden > 0 {
        lines.push(more_lines(hidden, 0, options));
        lines.extend(fold(wrap_verbatim(&tail.join("\n"), role, 0, options), (6, 6), options));
    }
    lines
}

/// Folds rendered lines.
fn fold(
    mut lines: Vec<Line<'static>>,
    (head, tail): (usize, usize),
    options: RenderOptions,
) -> Vec<Line<'static>> {
    let hidden = lines.len().saturating_sub(head).saturating_sub(tail);
    if hidden > 1 {
        lines.splice(head..head.saturating_add(hidden), [more_lines(hidden, 0, options)]);
    }
    lines
}

/// Returns the position of the last `rows` lines of a text, with at most 400 bytes for each line.
fn start_of_last_lines(text: &str, rows: usize) -> usize {
    let least = text.ceil_char_boundary(text.len().saturating_sub(rows.saturating_mul(400)));
    let end = text.get(least..).unwrap_or_default();
    let breaks = end.trim_end_matches('\n').rmatch_indices('\n');
    breaks.take(rows).last().map_or(least, |(at, _)| {
        let is_cut = end.trim_end_matches('\n').matches('\n').count() >= rows;
        if is_cut { least.saturating_add(at).saturating_add(1) } else { least }
    })
}
