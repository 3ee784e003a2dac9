//! The lines of a card.

use std::collections::BTreeSet;

use ratatui_core::text::{Line, Span};
use serde_json::Value;
use windlass_text::count_noun;

use super::sections::Sections;
use super::warnings::{line_of, push_warnings};
use super::{
    Answer, ApprovalCard, CardEffect, CardLimits, CardPath, QueuePosition, RenderedCard, is_text_of_edit,
};
use crate::diff::{DiffLimits, render_counted};
use crate::options::RenderOptions;
use crate::rule_name::describe_rule;
use crate::theme::Role;

/// Renders a card.
pub(super) fn render(
    card: &ApprovalCard,
    position: Option<QueuePosition>,
    limits: CardLimits,
    options: RenderOptions,
) -> RenderedCard {
    let mut sections = Sections::new(options);
    push_header(card, position, options, &mut sections);
    push_commands(card, limits, &mut sections);
    push_effects(card, limits, &mut sections);
    push_paths(card, limits, &mut sections);
    push_arguments(card, limits, &mut sections);
    push_changes(card, limits, &mut sections);
    push_containment(card, &mut sections);
    let (names, contents) = texts(card);
    push_warnings(&names, &contents, options, &mut sections);
    let shows_all = sections.shows_all;
    let has_more = sections.has_more && !limits.has_whole_copy;
    let answers = answers(card, shows_all || limits.has_whole_copy, has_more);
    push_answers(card, &answers, options, &mut sections);
    RenderedCard { lines: sections.lines, shows_all, answers }
}

fn push_header(
    card: &ApprovalCard,
    position: Option<QueuePosition>,
    options: RenderOptions,
    sections: &mut Sections,
) {
    let mut spans = vec![options.span(Role::Question, format!("? {}", line_of(&card.tool)))];
    if !card.agents.is_empty() {
        let path: Vec<String> = card.agents.iter().map(|agent| line_of(agent)).collect();
        spans.push(options.span(Role::Words, format!(" · asked by {}", path.join(" > "))));
    }
    if let Some(QueuePosition { number, total }) = position.filter(|position| position.total > 1) {
        spans.push(options.span(Role::Faint, format!(" · {number} of {total}")));
    }
    if !card.risk.is_empty() {
        let role = match card.risk.as_str() {
            "low" => Role::Faint,
            "medium" => Role::Words,
            "high" => Role::Warning,
            _ => Role::Error,
        };
        spans.push(options.span(Role::Faint, " · "));
        spans.push(options.span(role, format!("{} risk", line_of(&card.risk))));
    }
    sections.push_line(&Line::from(spans));
    if card.reason.is_empty() && card.rule.is_empty() {
        return;
    }
    let rule = describe_rule(&card.rule, &card.source);
    let rule = rule.map(|rule| format!(" ({})", line_of(&rule))).unwrap_or_default();
    let spans = vec![
        options.span(Role::Words, format!("  {}", line_of(&card.reason))),
        options.span(Role::Faint, rule),
    ];
    sections.push_line(&Line::from(spans));
}

fn push_commands(card: &ApprovalCard, limits: CardLimits, sections: &mut Sections) {
    let options = sections.inner();
    let (count, more) = sections.count(&card.commands, limits.items);
    let mut lines = Vec::new();
    for words in card.commands.iter().take(count) {
        let mut spans = Vec::new();
        for (number, word) in words.iter().enumerate() {
            if number > 0 {
                spans.push(Span::raw(" "));
            }
            let role = if number == 0 { Role::Call } else { Role::Code };
            spans.push(options.span(role, quote(word)));
        }
        lines.extend(sections.value(&Line::from(spans), limits.value_lines));
    }
    lines.extend(more);
    for effect in card.effects.iter().filter(|effect| has_command_lines(card, effect)) {
        lines.extend(command_lines(&effect.target, limits, sections));
    }
    sections.push("runs", lines);
}

/// Returns whether the lines of a command are displayed as they are, because its words are not certain.
fn has_command_lines(card: &ApprovalCard, effect: &CardEffect) -> bool {
    card.commands.is_empty() && effect.kind == "execute" && effect.target.contains('\n')
}

/// Renders a command of several lines. The mark of a line differs from the margin of a wrapped row, so each line break of
/// the command is visible.
fn command_lines(command: &str, limits: CardLimits, sections: &mut Sections) -> Vec<Line<'static>> {
    let options = sections.inner();
    let mut lines = Vec::new();
    for row in command.split('\n') {
        let spans = vec![options.span(Role::Faint, "│ "), options.span(Role::Code, line_of(row))];
        lines.extend(sections.value(&Line::from(spans), usize::MAX));
    }
    sections.fold(&mut lines, limits.value_lines);
    lines
}

/// Returns a word of a command as a shell would need it, so that the limits of words are visible.
fn quote(word: &str) -> String {
    let is_plain = |character: char| {
        character.is_alphanumeric()
            || matches!(character, '_' | '-' | '.' | '/' | ':' | '=' | '@' | '%' | '+' | ',')
    };
    let text = line_of(word);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn push_effects(card: &ApprovalCard, limits: CardLimits, sections: &mut Sections) {
    let options = sections.inner();
    let (count, more) = sections.count(&card.effects, limits.items);
    let mut lines = Vec::new();
    for effect in card.effects.iter().take(count) {
        let (kind, below) = match effect.kind.strip_suffix("_tree") {
            Some(kind) => (kind, " with everything below it"),
            None => (effect.kind.as_str(), ""),
        };
        let role = match kind {
            "read" => Role::Success,
            "delete" => Role::Error,
            _ => Role::Warning,
        };
        // The lines of the command are in its own part.
        if has_command_lines(card, effect) {
            let words = format!(" {}", count_noun(effect.target.split('\n').count(), "line"));
            lines.push(Line::from(vec![options.span(role, line_of(kind)), options.span(Role::Words, words)]));
            continue;
        }
        let line = Line::from(vec![
            options.span(role, line_of(kind)),
            Span::raw(" "),
            options.span(Role::Words, line_of(&effect.target)),
            options.span(Role::Words, below),
        ]);
        lines.extend(sections.value(&line, limits.value_lines));
    }
    lines.extend(more);
    sections.push("effects", lines);
}

/// Appends the paths whose links lead elsewhere. The other paths are in the effects.
fn push_paths(card: &ApprovalCard, limits: CardLimits, sections: &mut Sections) {
    let options = sections.inner();
    let targets: BTreeSet<&str> = card.effects.iter().map(|effect| effect.target.as_str()).collect();
    let is_new = |path: &&CardPath| path.path != path.resolved || !targets.contains(path.path.as_str());
    let paths: Vec<_> = card.paths.iter().filter(is_new).collect();
    let (count, more) = sections.count(&paths, limits.items);
    let mut lines = Vec::new();
    for path in paths.iter().take(count) {
        let mut spans = vec![options.span(Role::Path, line_of(&path.path))];
        if path.path != path.resolved && !path.resolved.is_empty() {
            spans.push(options.span(Role::Faint, " → "));
            spans.push(options.span(Role::Path, line_of(&path.resolved)));
        }
        lines.extend(sections.value(&Line::from(spans), limits.value_lines));
    }
    lines.extend(more);
    sections.push("paths", lines);
}

/// Appends the arguments that no other part shows.
fn push_arguments(card: &ApprovalCard, limits: CardLimits, sections: &mut Sections) {
    let options = sections.inner();
    let mut lines = Vec::new();
    let effects = card.effects.iter().map(|effect| effect.target.as_str());
    let displayed: BTreeSet<&str> = effects.chain(card.paths.iter().map(|path| path.path.as_str())).collect();
    // Without limits, the texts of a change are displayed beside its diff.
    let hides_texts = limits.value_lines != usize::MAX;
    let is_displayed = |name: &str, text: &str| {
        displayed.contains(text) || (hides_texts && card.is_displayed_by_change(name, text))
    };
    let none = serde_json::Map::new();
    let members = match &card.arguments {
        Value::Object(members) => members,
        Value::Null => &none,
        Value::String(text) => {
            // The diff shows the effect of a patch.
            if card.changes.is_empty() || !hides_texts {
                lines.extend(multi_line(text, limits, sections));
            }
            &none
        }
        other => {
            let line = Line::from(options.span(Role::Code, line_of(&other.to_string())));
            lines.extend(sections.value(&line, limits.value_lines));
            &none
        }
    };
    for (name, value) in members {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if is_displayed(name, &text) {
            sections.has_more |= is_text_of_edit(name);
            continue;
        }
        if text.contains('\n') {
            lines.push(Line::from(options.span(Role::Faint, format!("{}:", line_of(name)))));
            lines.extend(multi_line(&text, limits, sections));
        } else {
            let line = Line::from(vec![
                options.span(Role::Faint, format!("{}: ", line_of(name))),
                options.span(Role::Code, line_of(&text)),
            ]);
            lines.extend(sections.value(&line, limits.value_lines));
        }
    }
    sections.push("with", lines);
}

fn multi_line(text: &str, limits: CardLimits, sections: &mut Sections) -> Vec<Line<'static>> {
    let options = sections.inner();
    let mut lines = Vec::new();
    for row in text.split('\n') {
        lines.extend(sections.value(&Line::from(options.span(Role::Code, line_of(row))), usize::MAX));
    }
    sections.fold(&mut lines, limits.value_lines);
    lines
}

fn push_changes(card: &ApprovalCard, limits: CardLimits, sections: &mut Sections) {
    let options = sections.inner();
    let mut room = limits.diff_lines;
    let mut lines = Vec::new();
    for change in &card.changes {
        let (rendered, hidden) =
            render_counted(&change.diff, DiffLimits::default().with_lines(room), options);
        room = room.saturating_sub(rendered.len());
        sections.shows_all &= hidden == 0;
        if rendered.is_empty() {
            lines.push(Line::from(options.span(Role::Path, line_of(&change.path))));
        }
        lines.extend(rendered);
    }
    sections.push("changes", lines);
}

fn push_containment(card: &ApprovalCard, sections: &mut Sections) {
    let options = sections.inner();
    let mut lines = Vec::new();
    if let Some(level) = &card.containment {
        lines.extend(sections.value(&Line::from(options.span(Role::Words, line_of(level))), usize::MAX));
    }
    for gap in &card.gaps {
        let line = Line::from(options.span(Role::Warning, format!("not enforced: {}", line_of(gap))));
        lines.extend(sections.value(&line, usize::MAX));
    }
    sections.push("confined", lines);
}

/// Returns the names of a card, in which letters of several scripts mislead, and its other texts.
fn texts(card: &ApprovalCard) -> (Vec<&str>, Vec<&str>) {
    let words = card.commands.iter().flatten();
    let effects = card.effects.iter().map(|effect| &effect.target);
    let paths = card.paths.iter().flat_map(|path| [&path.path, &path.resolved]);
    let agents = card.agents.iter().chain([&card.tool]);
    let names = words.chain(effects).chain(paths).chain(agents).map(String::as_str).collect();
    let mut contents: Vec<&str> = card.changes.iter().map(|change| change.diff.as_str()).collect();
    push_strings(&card.arguments, &mut contents);
    (names, contents)
}

/// Appends the texts of a JSON value.
fn push_strings<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    // A stack, because a value can be deeper than the stack of the thread allows.
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => texts.push(text),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                texts.extend(members.keys().map(String::as_str));
                open.extend(members.values());
            }
            _ => {}
        }
    }
}

/// Returns the answers to a card. `shows_all` is true if the card or its copy displays each part, `has_more` if only the
/// diff displays the texts of a change.
fn answers(card: &ApprovalCard, shows_all: bool, has_more: bool) -> Vec<Answer> {
    let default = [Answer::Once, Answer::Session, Answer::Edit, Answer::No, Answer::Later];
    let offered: &[Answer] = if card.answers.is_empty() { &default } else { &card.answers };
    let can_remember = card.can_remember && shows_all;
    let mut answers: Vec<Answer> = offered
        .iter()
        .copied()
        .filter(|answer| *answer != Answer::Details && (can_remember || !answer.is_remembered()))
        .collect();
    if !card.can_become_rule() {
        answers.retain(|answer| *answer != Answer::Rule);
    }
    if !shows_all || has_more {
        answers.push(Answer::Details);
    }
    answers
}

fn push_answers(card: &ApprovalCard, answers: &[Answer], options: RenderOptions, sections: &mut Sections) {
    if answers.contains(&Answer::Session) && !card.scope.is_empty() {
        let spans = vec![
            Span::raw("  "),
            options.span(Role::Key, Answer::Session.key().to_string()),
            options.span(Role::Faint, format!(" covers: {}", line_of(&card.scope))),
        ];
        sections.push_line(&Line::from(spans));
    } else if card.can_remember && !sections.shows_all && answers.contains(&Answer::Details) {
        let text = "  Not everything is displayed, so the answer cannot be remembered.";
        sections.push_line(&Line::from(options.span(Role::Faint, text)));
    } else if !card.can_remember && (card.answers.is_empty() || card.answers.contains(&Answer::Session)) {
        let text = "  Such a call is asked each time, so the answer counts once.";
        sections.push_line(&Line::from(options.span(Role::Faint, text)));
    }
    let item = |answer: &Answer| {
        vec![
            options.span(Role::Key, answer.key().to_string()),
            options.span(Role::Words, format!(" {}", answer.label())),
        ]
    };
    sections.push_flow(answers.iter().map(item).collect());
}
