//! Description of an approval request for a human.

mod shown;

use std::fmt::Write as _;

use windlass_command::Command;
use windlass_protocol::{Effect, Risk, Target, TargetKind};
use windlass_text::count_noun;

use self::shown::Extent;
use crate::{ApprovalRequest, display_safe};

/// Longest argument, in characters, that is displayed in full beside the diff of a change.
const BESIDE_CHANGE: usize = 120;

impl ApprovalRequest {
    /// Describes the question for a terminal: the asking agents, the reason, the whole call, its effects and
    /// their targets, the confinement, and the changes of files (RULES H14).
    ///
    /// Control, bidirectional and invisible characters are escaped. A text of more than 4,000 characters or
    /// 120 screen rows is reduced to its head, its tail, its length and its SHA-256. Long runs of white space
    /// are replaced by counts, and so are files and effects beyond 120 rows. Every omission is marked;
    /// [`describe_whole`](Self::describe_whole) omits nothing.
    pub fn describe(&self) -> String {
        self.describe_within(Extent::Screen)
    }

    /// Like [`describe`](Self::describe), but without omissions: for a file that a human can open, or a
    /// pager.
    ///
    /// ```
    /// # use windlass_hitl::{ApprovalRequest, Binding, PolicyInput, Grants, ApprovalHistory, Policy, decide};
    /// # use windlass_protocol::{Arguments, CallId, Change, Hints, ToolCall, ToolName, ToolSpec};
    /// # let call = ToolCall::function(CallId::new("c")?, ToolName::new("edit")?, Arguments::default());
    /// # let facts = PolicyInput::new(call.name.clone(), Hints::default(), &call, vec![]);
    /// # let spec = ToolSpec::function(call.name.clone(), "", "{}".parse()?);
    /// # let digest = Binding { facts: &facts, call: &call, spec: &spec, root: "/", epoch: "" }.digest();
    /// # let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    /// # let request = ApprovalRequest::new("r", call, &facts, &decision, digest);
    /// let long = format!("{}the middle{}", "+a\n".repeat(3_000), "+a\n".repeat(3_000));
    /// let request = request.with_changes(vec![Change::new("a.txt", long)]);
    /// assert!(!request.describe().contains("the middle"));
    /// assert!(request.describe_whole().contains("the middle"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn describe_whole(&self) -> String {
        self.describe_within(Extent::Whole)
    }

    fn describe_within(&self, extent: Extent) -> String {
        let mut text = format!(
            "{} wants to run ({} risk): {}",
            display_safe(self.tool.as_str()),
            describe_risk(self.risk),
            extent.one_line(&self.reason.describe())
        );
        if !self.agents.is_empty() {
            let agents: Vec<String> = self.agents.iter().map(|agent| extent.one_line(agent)).collect();
            let _ = write!(text, "\n  asked by: {}", agents.join(" > "));
        }
        extent.lines("arguments", &self.arguments(extent), &mut text);
        let deletions = self.deletions();
        let effects = self.effects.iter().chain(&deletions);
        let effects: Vec<String> = effects.map(|effect| effect_lines(effect, extent)).collect();
        extent.lines("effects", &effects, &mut text);
        let targets: Vec<String> =
            self.targets.iter().filter_map(|target| target_line(target, extent)).collect();
        extent.lines("targets", &targets, &mut text);
        if let Some(containment) = &self.containment {
            let _ = write!(text, "\n  sandbox: {}", display_safe(&containment.level));
            let gaps: Vec<String> = (containment.gaps.iter())
                .map(|gap| format!("\n    not confined: {}", extent.one_line(gap)))
                .collect();
            extent.lines("gaps", &gaps, &mut text);
        }
        let changes: Vec<String> = (self.changes.iter())
            .map(|change| {
                let diff = extent.indent(change.diff.trim_end_matches('\n'));
                format!("\n  change of {}:\n    {diff}", extent.one_line(&change.path))
            })
            .collect();
        extent.lines("changes", &changes, &mut text);
        text
    }

    fn arguments(&self, extent: Extent) -> Vec<String> {
        let Some(arguments) = self.call.arguments() else {
            return vec![format!("\n  {}", extent.indent(&self.call.payload.text()))];
        };
        let line = |(name, value): (&String, &serde_json::Value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let is_beside = !self.changes.is_empty() && is_long(&value);
            let value = if is_beside { describe_argument(&value) } else { extent.indent(&value) };
            format!("\n  {}: {value}", extent.one_line(name))
        };
        arguments.as_object().iter().map(line).collect()
    }
}

fn describe_risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
        Risk::Critical => "critical",
    }
}

fn is_long(value: &str) -> bool {
    value.contains('\n') || value.chars().count() > BESIDE_CHANGE
}

/// Describes an argument whose content the diff below displays.
fn describe_argument(value: &str) -> String {
    format!("{} bytes in {}; the change is below", value.len(), count_noun(value.lines().count(), "line"))
}

fn effect_lines(effect: &Effect, extent: Extent) -> String {
    let one_line = |text: &str| extent.one_line(text);
    match effect {
        Effect::Execute { command, directory } => {
            format!("\n  runs in: {}{}", one_line(directory), program_lines(command, extent))
        }
        Effect::Connect { host, port } => format!("\n  connects to: {}:{port}", one_line(host)),
        Effect::Mcp { server, tool, fingerprint, .. } => {
            let (server, tool) = (one_line(server), one_line(tool));
            format!("\n  calls: {tool} of server {server}, fingerprint {}", one_line(fingerprint))
        }
        Effect::Spawn { agent } => format!("\n  delegates work to: {}", one_line(agent)),
        Effect::Custom { kind, target, amount } => {
            let amount = amount.as_ref().map(|amount| format!(", amount: {}", one_line(&amount.to_string())));
            format!("\n  {}: {}{}", one_line(kind), one_line(target), amount.unwrap_or_default())
        }
        Effect::Unknown => "\n  its effects are not known".to_owned(),
        effect => effect.path().map_or_else(String::new, |path| {
            let all = if effect.reaches_below() { " with everything below it" } else { "" };
            format!("\n  {}s: {}{all}", effect.kind(), one_line(path))
        }),
    }
}

/// Lists the programs of a command with their parsed words, so that quotes and blanks cannot mislead the
/// reader.
fn program_lines(command: &str, extent: Extent) -> String {
    let Ok(command) = Command::parse(command) else {
        return "\n    its words do not show for certain which programs it runs".to_owned();
    };
    let mut text = String::new();
    for simple in command.commands() {
        let words: Vec<String> =
            simple.argv().iter().map(|word| format!("[{}]", extent.one_line(word))).collect();
        let _ = write!(text, "\n    program: {}", words.join(" "));
        for redirection in simple.redirections() {
            let _ = write!(text, "\n      {}", extent.one_line(&redirection.to_string()));
        }
    }
    text
}

fn target_line(target: &Target, extent: Extent) -> Option<String> {
    let mut text = String::new();
    let resolved = extent.one_line(&target.resolved);
    if target.resolved != target.path {
        let _ = write!(text, "\n    {} leads to {resolved}", extent.one_line(&target.path));
    }
    if target.kind == TargetKind::File && target.links > 1 {
        let _ = write!(text, "\n    {resolved} is a file with {} names", target.links);
    }
    (!text.is_empty()).then_some(text)
}
