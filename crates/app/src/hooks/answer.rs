//! The answer of a hook: its exit code and its JSON output.

use serde_json::Value;

use super::definition::{HookDefinition, HookEvent, HookOwner};
use super::process::HookEnd;

/// Maximum length in bytes of a reason, and of context for the model.
const MAX_REASON: usize = 4_096;
const MAX_CONTEXT: usize = 32 * 1024;

/// The exit code that refuses.
const REFUSAL: i32 = 2;

/// The answers of the hooks of one event, combined: the strictest one counts.
#[derive(Debug, Default, PartialEq)]
pub(super) struct HookAnswer {
    /// Reasons of refusals.
    pub(super) blocks: Vec<String>,
    /// Reasons of questions to a person.
    pub(super) asks: Vec<String>,
    /// True if a hook wants the call to run without a question.
    pub(super) permits: bool,
    /// Changed input of the call, with the number of its view.
    pub(super) changed: Option<(usize, Value)>,
    /// Text for the model.
    pub(super) context: Vec<String>,
    /// Messages for the person in front of the program.
    pub(super) messages: Vec<String>,
}

impl HookAnswer {
    /// Adds the end of a hook. `view` is the number of the view that the hook got.
    pub(super) fn add(&mut self, definition: &HookDefinition, view: usize, end: HookEnd) {
        match end {
            HookEnd::Exit { code: 0, output, .. } => self.add_output(definition, view, &output),
            HookEnd::Exit { code: REFUSAL, errors, .. } => {
                self.blocks.push(reason(&errors, "a hook refused it without a reason"));
            }
            HookEnd::Exit { code, errors, .. } => {
                let errors = clip(errors.trim(), MAX_REASON);
                self.fail(definition, &format!("it failed with the exit code {code}: {errors}"));
            }
            HookEnd::Failed(why) => self.fail(definition, &why),
        }
    }

    /// Adds a failure, which blocks only if the definition wants that.
    fn fail(&mut self, definition: &HookDefinition, why: &str) {
        let text =
            format!("the hook `{}` of {}: {why}", clip(&definition.command, 200), definition.file.display());
        if definition.blocks_on_failure {
            self.blocks.push(text.clone());
        }
        self.messages.push(text);
    }

    fn add_output(&mut self, definition: &HookDefinition, view: usize, output: &str) {
        // A project's hook can only make an answer stricter.
        let may_permit = definition.owner == HookOwner::User;
        let output = output.trim();
        let value = output.starts_with('{').then(|| serde_json::from_str::<Value>(output).ok()).flatten();
        let Some(value) = value else {
            let is_context =
                matches!(definition.event, HookEvent::SessionStart | HookEvent::UserPromptSubmit);
            if is_context && !output.is_empty() {
                self.context.push(clip(output, MAX_CONTEXT).to_owned());
            }
            return;
        };
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let why = text(&value, "reason");
        if value.get("continue") == Some(&Value::Bool(false)) {
            let stop = text(&value, "stopReason").or_else(|| why.clone());
            self.blocks.push(reason(&stop.unwrap_or_default(), "a hook stops the work"));
        }
        match value.get("decision").and_then(Value::as_str) {
            Some("block" | "deny") => {
                self.blocks
                    .push(reason(why.as_deref().unwrap_or_default(), "a hook refused it without a reason"));
            }
            Some("approve" | "allow") => self.permits |= may_permit,
            _ => {}
        }
        self.messages.extend(text(&value, "systemMessage").map(|text| clip(&text, MAX_REASON).to_owned()));
        let Some(specific) = value.get("hookSpecificOutput") else { return };
        let why = text(specific, "permissionDecisionReason").or(why).unwrap_or_default();
        match specific.get("permissionDecision").and_then(Value::as_str) {
            Some("deny") => self.blocks.push(reason(&why, "a hook refused it without a reason")),
            Some("ask") => self.asks.push(reason(&why, "a hook asks for your decision")),
            Some("allow") => self.permits |= may_permit,
            _ => {}
        }
        if let Some(changed) = specific.get("updatedInput").filter(|changed| changed.is_object()) {
            self.changed = Some((view, changed.clone()));
        }
        let context = text(specific, "additionalContext").filter(|text| !text.trim().is_empty());
        self.context.extend(context.map(|text| clip(&text, MAX_CONTEXT).to_owned()));
    }

    /// Returns the reasons of all refusals, or `None` without a refusal.
    pub(super) fn refusal(&self) -> Option<String> {
        (!self.blocks.is_empty()).then(|| self.blocks.join("; "))
    }

    /// Returns the text for the model, marked as that of a hook, or `None` without text.
    pub(super) fn context_text(&self) -> Option<String> {
        let text = self.context.join("\n");
        (!text.is_empty()).then(|| format!("<hook-context>\n{text}\n</hook-context>"))
    }
}

/// Returns the reason, cut to a maximum length, or `otherwise` if it is empty.
fn reason(words: &str, otherwise: &str) -> String {
    let words = clip(words.trim(), MAX_REASON);
    if words.is_empty() { otherwise.to_owned() } else { words.to_owned() }
}

fn clip(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most.min(text.len()))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::super::definition::parse;
    use super::*;

    fn answer(event: &str, code: i32, output: &str, errors: &str) -> HookAnswer {
        let text = json!({ "hooks": { event: [{ "hooks": [{ "type": "command", "command": "x" }] }] } });
        let parsed = parse(&text.to_string(), HookOwner::User, Path::new("/hooks.json")).unwrap();
        let mut answer = HookAnswer::default();
        let end = HookEnd::Exit { code, output: output.to_owned(), errors: errors.to_owned() };
        answer.add(&parsed.hooks[0], 0, end);
        answer
    }

    #[test]
    fn hook_exit_codes_follow_the_documentation() {
        assert_eq!(answer("PreToolUse", 0, "", "noise"), HookAnswer::default());
        assert_eq!(
            answer("PreToolUse", 2, "{\"decision\":\"approve\"}", "no rm\n").refusal().unwrap(),
            "no rm"
        );
        let failed = answer("PreToolUse", 1, "", "broken");
        assert!(failed.refusal().is_none() && failed.messages[0].contains("exit code 1: broken"));
        assert_eq!(answer("UserPromptSubmit", 0, "now is noon\n", "").context, ["now is noon"]);
        assert!(answer("PostToolUse", 0, "plain words", "").context.is_empty());
    }

    #[test]
    fn json_output_decides() {
        let specific = |value: Value| json!({ "hookSpecificOutput": value }).to_string();
        let deny = specific(json!({ "permissionDecision": "deny", "permissionDecisionReason": "no" }));
        assert_eq!(answer("PreToolUse", 0, &deny, "").blocks, ["no"]);
        let ask = specific(json!({ "permissionDecision": "ask" }));
        assert_eq!(answer("PreToolUse", 0, &ask, "").asks.len(), 1);
        let allow = specific(json!({ "permissionDecision": "allow", "updatedInput": { "command": "ls" } }));
        let allowed = answer("PreToolUse", 0, &allow, "");
        assert!(allowed.permits && allowed.changed == Some((0, json!({ "command": "ls" }))));
        let block = json!({ "decision": "block", "reason": "tests fail" }).to_string();
        assert_eq!(answer("Stop", 0, &block, "").blocks, ["tests fail"]);
        let stop = json!({ "continue": false, "stopReason": "enough" }).to_string();
        assert_eq!(answer("PostToolUse", 0, &stop, "").blocks, ["enough"]);
        let context = specific(json!({ "additionalContext": "x" }));
        assert!(answer("SessionStart", 0, &context, "").context_text().unwrap().contains("\nx\n"));
        assert_eq!(answer("PreToolUse", 0, "{broken", ""), HookAnswer::default());
    }

    #[test]
    fn a_failed_hook_blocks_if_on_failure_is_block() {
        let text = json!({ "hooks": { "PreToolUse": [{ "hooks": [
            { "type": "command", "command": "x", "onFailure": "block" }] }] } });
        let parsed = parse(&text.to_string(), HookOwner::User, Path::new("/hooks.json")).unwrap();
        let mut answer = HookAnswer::default();
        answer.add(&parsed.hooks[0], 0, HookEnd::Failed("it did not end".to_owned()));
        assert!(answer.refusal().unwrap().contains("it did not end"));
    }
}
