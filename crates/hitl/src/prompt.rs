//! What a human is shown of a question: everything that would run, with nothing hidden.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use windlass_command::Command;
use windlass_protocol::{Effect, Target, TargetKind};

use crate::{ApprovalRequest, display_safe};

/// How much of a long text is shown at its head and at its tail, in characters.
const SHOWN: usize = 2_000;
/// From how many equal blanks on they are counted and not shown: they would push what follows off the screen.
const BLANKS: usize = 40;
/// How long an argument may be to be shown beside the change that it makes.
const BESIDE_CHANGE: usize = 120;

impl ApprovalRequest {
    /// The question in words for a terminal: who asks, by which rule, the whole call, what it meets and would change,
    /// how it would be confined (RULES H14).
    ///
    /// Control, bidirectional and invisible characters are visible. What is longer than 4,000 characters shows its
    /// head, its tail, its length and its SHA-256; long runs of blanks are counted. Nothing is left out silently.
    pub fn describe(&self) -> String {
        let mut text = format!(
            "{} wants to run ({:?} risk; rule {}: {})",
            display_safe(self.tool.as_str()),
            self.risk,
            display_safe(&self.reason.rule_id),
            display_safe(&self.reason.text)
        );
        if !self.agents.is_empty() {
            let agents: Vec<String> = self.agents.iter().map(|agent| display_safe(agent)).collect();
            let _ = write!(text, "\n  asked by: {}", agents.join(" > "));
        }
        self.arguments(&mut text);
        for effect in &self.effects {
            effect_lines(effect, &mut text);
        }
        for target in &self.targets {
            target_line(target, &mut text);
        }
        if let Some(containment) = &self.containment {
            let _ = write!(text, "\n  sandbox: {}", display_safe(&containment.level));
            for gap in &containment.gaps {
                let _ = write!(text, "\n    not confined: {}", display_safe(gap));
            }
        }
        for change in &self.changes {
            let _ = write!(text, "\n  change of {}:", one_line(&change.path));
            for line in shown(&change.diff).lines() {
                let _ = write!(text, "\n    {line}");
            }
        }
        text
    }

    fn arguments(&self, text: &mut String) {
        let Some(arguments) = self.call.arguments() else {
            let _ = write!(text, "\n  {}", indented(&self.call.payload.text()));
            return;
        };
        for (name, value) in arguments.as_object() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let is_beside = !self.changes.is_empty() && is_long(&value);
            let value = if is_beside { told(&value) } else { indented(&value) };
            let _ = write!(text, "\n  {}: {value}", one_line(name));
        }
    }
}

fn is_long(value: &str) -> bool {
    value.contains('\n') || value.chars().count() > BESIDE_CHANGE
}

/// An argument that the change below shows.
fn told(value: &str) -> String {
    format!("{} bytes in {} lines; the change is below", value.len(), value.lines().count())
}

fn effect_lines(effect: &Effect, text: &mut String) {
    match effect {
        Effect::Execute { command, directory } => {
            let _ = write!(text, "\n  runs in: {}", one_line(directory));
            // As the words are understood, so that quotes and blanks deceive nobody.
            if let Ok(command) = Command::parse(command) {
                for simple in command.commands() {
                    let words: Vec<String> =
                        simple.argv().iter().map(|word| format!("[{}]", one_line(word))).collect();
                    let _ = write!(text, "\n    program: {}", words.join(" "));
                    for redirection in simple.redirections() {
                        let _ = write!(text, "\n      {}", one_line(&redirection.to_string()));
                    }
                }
            } else {
                text.push_str("\n    what it runs cannot be told from its words for sure");
            }
        }
        Effect::Connect { host, port } => {
            let _ = write!(text, "\n  connects to: {}:{port}", one_line(host));
        }
        Effect::Mcp { server, tool, fingerprint, .. } => {
            let (server, tool) = (one_line(server), one_line(tool));
            let _ =
                write!(text, "\n  calls: {tool} of server {server}, fingerprint {}", one_line(fingerprint));
        }
        Effect::Spawn { agent } => {
            let _ = write!(text, "\n  hands work to: {}", one_line(agent));
        }
        Effect::Unknown => text.push_str("\n  nobody can say what it does"),
        effect => {
            if let Some(path) = effect.path() {
                let _ = write!(text, "\n  {}s: {}", effect.kind(), one_line(path));
            }
        }
    }
}

fn target_line(target: &Target, text: &mut String) {
    if target.resolved != target.path {
        let _ = write!(text, "\n    {} leads to {}", one_line(&target.path), one_line(&target.resolved));
    }
    if target.kind == TargetKind::File && target.links > 1 {
        let _ = write!(text, "\n    {} is a file with {} names", one_line(&target.resolved), target.links);
    }
}

fn indented(value: &str) -> String {
    shown(value).replace('\n', "\n    ")
}

/// A text that must not make a line of its own.
fn one_line(text: &str) -> String {
    shown(text).replace('\n', "\\n")
}

/// A text made safe; a long one with head, tail, length and digest.
fn shown(text: &str) -> String {
    let characters = text.chars().count();
    if characters <= SHOWN.saturating_mul(2) {
        return counted(&display_safe(text));
    }
    let head: String = text.chars().take(SHOWN).collect();
    let tail: String = text.chars().skip(characters.saturating_sub(SHOWN)).collect();
    let digest =
        Sha256::digest(text.as_bytes()).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    let left = characters.saturating_sub(SHOWN.saturating_mul(2));
    format!(
        "{}\n[{left} characters are not shown; it has {} bytes, sha256 {digest}]\n{}",
        counted(&display_safe(&head)),
        text.len(),
        counted(&display_safe(&tail))
    )
}

/// The text with long runs of one blank told as a number.
fn counted(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = rest.chars().take_while(|character| *character == first).count();
        let end = run.saturating_mul(first.len_utf8());
        let (same, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        match first {
            ' ' if run > BLANKS => _ = write!(result, "[{run} spaces]"),
            '\t' if run > BLANKS / 4 => _ = write!(result, "[{run} tabs]"),
            '\n' if run > 4 => _ = write!(result, "\n[{} empty lines]\n", run.saturating_sub(1)),
            _ => result.push_str(same),
        }
        rest = after;
    }
    result
}
