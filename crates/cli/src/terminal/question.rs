//! Renders questions at the terminal.

use windlass_hitl::{ApprovalRequest, display_safe};
use windlass_screen::Role;
use windlass_tool::Question;

use crate::paint::{Painted, Painter};

/// An approval question as text.
pub(super) struct ApprovalText {
    painter: Painter,
    tool: String,
    keys: String,
}

impl ApprovalText {
    pub(super) fn new(request: &ApprovalRequest, painter: Painter) -> Self {
        let remember = if request.can_remember {
            format!(", a: yes for this session to {}", display_safe(&request.scope))
        } else {
            String::new()
        };
        let keys = format!("May it run? [y: yes{remember}, n: no, or say why not] ");
        Self { painter, tool: display_safe(request.tool.as_str()), keys }
    }

    /// Renders the whole question.
    pub(super) fn render(&self, request: &ApprovalRequest) -> Painted {
        let mut styled = render_description(&format!("\n? {}\n", request.describe()), self.painter);
        styled.append(&self.painter.paint_lines(Role::Question, &self.keys));
        styled
    }

    /// Renders the question again, below an unclear answer.
    pub(super) fn render_again(&self, why: &str) -> Painted {
        let rule = format!(
            "  {why}: y runs the call once, n denies it, several words deny it and tell the model why\n"
        );
        let mut styled = self.painter.paint_lines(Role::Warning, &rule);
        styled.append(&self.painter.paint_lines(Role::Question, &self.keys));
        styled
    }

    /// Renders the question briefly, below output that appeared before the answer.
    pub(super) fn render_reminder(&self) -> Painted {
        let keys = self.keys.trim_start_matches("May it run? ");
        let text = format!("? {} still waits for an answer {keys}", self.tool);
        self.painter.paint_lines(Role::Question, &text)
    }
}

/// Renders the description of a call: the question, its details, and the changes with the colors of a diff.
fn render_description(text: &str, painter: Painter) -> Painted {
    let mut styled = Painted::default();
    let mut is_change = false;
    for line in text.split_inclusive('\n') {
        if line.starts_with("  ") && !line.starts_with("    ") {
            is_change = line.starts_with("  change of ");
        }
        let role = match line.strip_prefix("    ").filter(|_| is_change) {
            Some(line) if line.starts_with('+') => Role::Added,
            Some(line) if line.starts_with('-') => Role::Removed,
            Some(line) if line.starts_with("@@") => Role::Hunk,
            _ if line.starts_with("? ") => Role::Question,
            _ => Role::Words,
        };
        styled.append(&painter.paint_lines(role, line));
    }
    styled
}

/// Renders a question of the model, with numbered suggestions.
pub(super) fn render_question(question: &Question, painter: Painter) -> Painted {
    let mut styled = painter.paint_lines(Role::Question, &format!("\n? {}\n", display_safe(&question.text)));
    for (at, text) in question.suggestions.iter().enumerate() {
        let line = format!("  {}: {}\n", at.saturating_add(1), display_safe(text));
        styled.append(&painter.paint_lines(Role::Words, &line));
    }
    styled.append(&painter.paint(Role::Key, "> "));
    styled
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass_screen::Theme;

    const TEXT: &str = "\n? edit wants to run (high risk): it writes\n  path: +x\n  change of a.txt:\n    @@ -1 +1 @@\
                        \n    -one\n    +two\n  sandbox: none\n";

    #[test]
    fn a_description_has_the_same_characters_with_and_without_styles() {
        let styled = render_description(TEXT, Painter::for_test(80, Some(Theme::default())));
        let plain = render_description(TEXT, Painter::default());
        assert_eq!(plain.as_str(), TEXT);
        let added = "\u{1b}[32m    +two\u{1b}[m\n";
        assert!(styled.as_str().contains(added) && styled.as_str().contains("  path: +x\n"), "{styled:?}");
        let mut characters = styled.as_str().to_owned();
        while let Some((before, after)) = characters.split_once("\u{1b}[") {
            characters = format!("{before}{}", after.split_once('m').unwrap().1);
        }
        assert_eq!(characters, TEXT);
    }

    // Regression test for the finding "command-line C, 40 columns": words of the question were cut.
    #[test]
    fn a_question_is_wrapped_between_words() {
        let painter = Painter::for_test(39, None);
        let rows = render_description(TEXT, painter);
        assert!(rows.as_str().starts_with("\n? edit wants to run (high risk): it\n  writes\n"), "{rows:?}");
        let text = ApprovalText {
            painter,
            tool: "edit".to_owned(),
            keys: "May it run? [y: yes, a: yes for this session to write files, n: no] ".to_owned(),
        };
        let again = text.render_again("unclear");
        assert!(again.as_str().lines().all(|line| line.trim_end().len() <= 39), "{again:?}");
        assert!(again.as_str().ends_with("n: no] "), "{again:?}");
    }
}
