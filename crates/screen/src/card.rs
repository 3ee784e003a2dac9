//! The approval card: everything that a person needs to know to answer whether a call may run.

mod answers;
mod rendered;
mod rule;
mod sections;
mod view;
mod warnings;

use serde::Deserialize;
use serde_json::Value;

pub use self::answers::Answer;
pub use self::rendered::RenderedCard;
pub use self::rule::RuleCard;
use crate::options::RenderOptions;

/// Question whether a call may run. The fields have the names of the feed's `CallCard`, so a card deserializes from
/// its JSON; unknown fields are ignored.
///
/// ```
/// use windlass_screen::{Answer, ApprovalCard, CardLimits, QueuePosition, RenderOptions, Theme};
///
/// let mut card = ApprovalCard::default();
/// card.tool = "run_command".to_owned();
/// card.rule = "d.ask".to_owned();
/// card.reason = "running a command needs a yes".to_owned();
/// card.risk = "high".to_owned();
/// card.commands = vec![vec!["rm".to_owned(), "-r".to_owned(), "my files".to_owned()]];
/// card.can_remember = true;
/// card.scope = "run_command exactly `rm -r 'my files'`".to_owned();
///
/// let options = RenderOptions::new(80, Theme::default());
/// let card = card.render(Some(QueuePosition::new(2, 5)), CardLimits::default(), &options);
/// assert!(card.shows_all && card.answers.contains(&Answer::Session));
/// let text: Vec<String> = card.lines.iter().map(ToString::to_string).collect();
/// assert_eq!(text[0], "? run_command · 2 of 5 · high risk");
/// assert_eq!(text[2], "  runs     rm -r 'my files'");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ApprovalCard {
    /// The names of the asking agents, from the root's child down; empty for the root.
    pub agents: Vec<String>,
    /// The name of the tool.
    pub tool: String,
    /// The arguments as a JSON object, or the text of a call that takes text.
    pub arguments: Value,
    /// Id of the rule that asks. The card names rules of policy files only.
    pub rule: String,
    /// The origin of the rule.
    pub source: String,
    /// The explanation of the rule.
    pub reason: String,
    /// The risk: `low`, `medium`, `high` or `critical`.
    pub risk: String,
    /// The effects of the call.
    pub effects: Vec<CardEffect>,
    /// The words of each command, as they will run.
    pub commands: Vec<Vec<String>>,
    /// The files of the call, and where their links lead.
    pub paths: Vec<CardPath>,
    /// The changes of files, as unified diffs.
    pub changes: Vec<CardChange>,
    /// The level of confinement of the call's processes; missing for a call that starts none.
    pub containment: Option<String>,
    /// Requested restrictions that the level does not enforce.
    pub gaps: Vec<String>,
    /// True if the approval can be remembered for the session.
    pub can_remember: bool,
    /// The calls that a remembered approval would cover.
    pub scope: String,
    /// The answers that this front end offers. `Session` and `Rule` are removed if the approval cannot be remembered.
    #[serde(skip)]
    pub answers: Vec<Answer>,
}

/// Effect of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CardEffect {
    /// The kind: `read`, `write`, `delete`, `execute`, `connect` and others.
    pub kind: String,
    /// The path, the command, the host, the agent or the tool.
    pub target: String,
}

impl CardEffect {
    /// Creates an effect.
    pub fn new(kind: impl Into<String>, target: impl Into<String>) -> Self {
        Self { kind: kind.into(), target: target.into() }
    }
}

/// File of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CardPath {
    /// The path as declared by the call.
    pub path: String,
    /// The path with symbolic links resolved.
    pub resolved: String,
}

impl CardPath {
    /// Creates a path.
    pub fn new(path: impl Into<String>, resolved: impl Into<String>) -> Self {
        Self { path: path.into(), resolved: resolved.into() }
    }
}

/// Change of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CardChange {
    /// The path.
    pub path: String,
    /// A unified diff.
    pub diff: String,
}

impl CardChange {
    /// Creates a change.
    pub fn new(path: impl Into<String>, diff: impl Into<String>) -> Self {
        Self { path: path.into(), diff: diff.into() }
    }
}

/// Position of a card among the open questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueuePosition {
    /// Position of this question, from 1.
    pub number: usize,
    /// Number of open questions.
    pub total: usize,
}

impl QueuePosition {
    /// Creates a position.
    pub fn new(number: usize, total: usize) -> Self {
        Self { number, total }
    }
}

/// Maximum size of each part of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CardLimits {
    /// Maximum number of lines of all diffs.
    pub diff_lines: usize,
    /// Maximum number of lines of one argument or one command.
    pub value_lines: usize,
    /// Maximum number of commands, of effects and of paths.
    pub items: usize,
    /// True if the person has a copy of the whole card. A card that leaves out parts offers all answers then, and no
    /// [`Answer::Details`].
    pub has_whole_copy: bool,
}

impl Default for CardLimits {
    /// Returns limits that keep most cards on one screen.
    fn default() -> Self {
        Self { diff_lines: 16, value_lines: 6, items: 6, has_whole_copy: false }
    }
}

impl CardLimits {
    /// Returns the limits of a card that shows everything.
    pub fn with_all() -> Self {
        Self { diff_lines: usize::MAX, value_lines: usize::MAX, items: usize::MAX, has_whole_copy: false }
    }

    /// Sets the maximum number of lines of all diffs.
    pub fn with_diff_lines(mut self, lines: usize) -> Self {
        self.diff_lines = lines;
        self
    }

    /// States that the person has a copy of the whole card.
    pub fn with_whole_copy(mut self) -> Self {
        self.has_whole_copy = true;
        self
    }
}

/// Names of arguments with the texts of a replacement in a file.
const EDIT_TEXTS: [&str; 8] =
    ["old_text", "new_text", "old_string", "new_string", "old_str", "new_str", "search", "replace"];

/// Returns whether an argument is a text of a replacement.
fn is_text_of_edit(name: &str) -> bool {
    EDIT_TEXTS.contains(&name)
}

impl ApprovalCard {
    /// Returns whether a diff of the card displays the effect of an argument: a text of several lines, or a text of a
    /// replacement that is part of a diff.
    fn is_displayed_by_change(&self, name: &str, text: &str) -> bool {
        let is_in_diff =
            || is_text_of_edit(name) && self.changes.iter().any(|change| change.diff.contains(text));
        !self.changes.is_empty() && (text.contains('\n') || is_in_diff())
    }

    /// Returns whether a rule of a policy file can allow such calls. It cannot allow a command that is not plain words.
    fn can_become_rule(&self) -> bool {
        self.rule != "p.whole_text"
    }

    /// Renders the card. With less than 60 columns labels have lines of their own.
    pub fn render(
        &self,
        position: Option<QueuePosition>,
        limits: CardLimits,
        options: &RenderOptions,
    ) -> RenderedCard {
        view::render(self, position, limits, *options)
    }
}
