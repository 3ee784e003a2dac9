//! The preview of a rule that a person makes of a question.

use ratatui_core::text::{Line, Span};

use super::answers::Answer;
use super::rendered::RenderedCard;
use super::sections::Sections;
use super::warnings::{line_of, push_warnings};
use crate::options::RenderOptions;
use crate::theme::Role;

/// Preview of a rule for the user's policy file, with the examples that become its self-tests.
///
/// ```
/// use windlass_screen::{Answer, RenderOptions, RuleCard, Theme};
///
/// let mut rule = RuleCard::new("policy.toml", "[[rule]]\nid = \"answer-1\"\neffect = \"allow\"\n");
/// rule.allows = vec!["run_command cargo test".to_owned()];
/// rule.refuses = vec!["run_command cargo publish".to_owned()];
/// let options = RenderOptions::new(80, Theme::default());
/// let preview = rule.render(20, &options);
/// assert_eq!(preview.answers, [Answer::Once, Answer::Back]);
/// // A person who cannot see the whole rule cannot accept it.
/// assert_eq!(rule.render(4, &options).answers, [Answer::Details, Answer::Back]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleCard {
    /// The policy file.
    pub file: String,
    /// The text that is added to the file.
    pub text: String,
    /// Examples that the rule allows.
    pub allows: Vec<String>,
    /// Examples that the rule does not cover.
    pub refuses: Vec<String>,
}

impl RuleCard {
    /// Creates a preview without examples.
    pub fn new(file: impl Into<String>, text: impl Into<String>) -> Self {
        Self { file: file.into(), text: text.into(), ..Self::default() }
    }

    /// Renders the preview. If it needs more than `rows` lines, it offers the whole preview instead of the acceptance.
    pub fn render(&self, rows: usize, options: &RenderOptions) -> RenderedCard {
        let mut sections = Sections::new(*options);
        self.push_rule(*options, &mut sections);
        let answers = [Answer::Once, Answer::Back];
        let shows_all = sections.lines.len().saturating_add(2) <= rows;
        let answers = if shows_all { answers } else { [Answer::Details, Answer::Back] };
        push_answers(&answers, *options, &mut sections);
        RenderedCard { lines: sections.lines, shows_all, answers: answers.to_vec() }
    }

    fn push_rule(&self, options: RenderOptions, sections: &mut Sections) {
        let header = vec![
            options.span(Role::Question, "? make a rule"),
            options.span(Role::Faint, " · "),
            options.span(Role::Path, line_of(&self.file)),
        ];
        sections.push_line(&Line::from(header));
        let note = "  It is added to this file with its examples as self-tests, and counts from the next run on. \
                    This call and similar ones are allowed for the session.";
        sections.push_line(&Line::from(options.span(Role::Words, note)));
        let rows = self.text.trim_end().lines().map(|row| (Role::Code, row));
        push_values("rule", rows, options, sections);
        push_values("allows", self.allows.iter().map(|row| (Role::Success, row.as_str())), options, sections);
        push_values("not", self.refuses.iter().map(|row| (Role::Warning, row.as_str())), options, sections);
        let examples = self.allows.iter().chain(&self.refuses).map(String::as_str);
        let names: Vec<&str> = examples.chain([self.file.as_str()]).collect();
        push_warnings(&names, &[&self.text], options, sections);
    }
}

fn push_values<'t>(
    label: &str,
    rows: impl Iterator<Item = (Role, &'t str)>,
    options: RenderOptions,
    sections: &mut Sections,
) {
    let mut lines = Vec::new();
    for (role, row) in rows {
        lines.extend(sections.value(&Line::from(options.span(role, line_of(row))), usize::MAX));
    }
    sections.push(label, lines);
}

fn push_answers(answers: &[Answer], options: RenderOptions, sections: &mut Sections) {
    let item = |answer: &Answer| {
        let label = if *answer == Answer::Once { "write the rule and allow" } else { answer.label() };
        vec![
            options.span(Role::Key, answer.key().to_string()),
            Span::raw(" "),
            options.span(Role::Words, label),
        ]
    };
    sections.push_flow(answers.iter().map(item).collect());
}
