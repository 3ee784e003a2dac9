//! The files that the commands of a call delete.

use windlass_protocol::Effect;

use crate::ApprovalRequest;
use crate::reading::CommandReading;

impl ApprovalRequest {
    /// Returns the deletions that the words of the call's commands name, as `rm -rf build` does, without those that the
    /// tool reports. A command can delete other files, too: a script, for example, does not name them.
    pub fn deletions(&self) -> Vec<Effect> {
        let mut deletions = Vec::new();
        for effect in &self.effects {
            if let Effect::Execute { command, directory } = effect {
                let named = CommandReading::read(command).effects(directory);
                deletions.extend(named.into_iter().filter(|effect| {
                    matches!(effect, Effect::Delete { .. } | Effect::DeleteTree { .. })
                        && !self.effects.contains(effect)
                }));
            }
        }
        deletions
    }
}

#[cfg(test)]
mod tests {
    use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolName};

    use crate::{ApprovalHistory, ApprovalRequest, Digest, Grants, Policy, PolicyInput, decide};

    fn question(command: &str) -> ApprovalRequest {
        let name = ToolName::new("run_command").unwrap();
        let call = ToolCall::function(CallId::new("c").unwrap(), name.clone(), Arguments::default());
        let effect = Effect::Execute { command: command.into(), directory: "sub".into() };
        let facts = PolicyInput::new(name, Hints::default(), &call, vec![effect]);
        let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
        let digest: Digest = serde_json::from_str(&format!("\"{}\"", "0".repeat(64))).unwrap();
        ApprovalRequest::new("r", call, &facts, &decision, digest)
    }

    #[test]
    fn a_question_names_what_a_command_deletes() {
        let deletes = question("cargo test && rm -rf build && rm a.txt");
        let expected =
            [Effect::DeleteTree { path: "sub/build".into() }, Effect::Delete { path: "sub/a.txt".into() }];
        assert_eq!(deletes.deletions(), expected);
        let text = deletes.describe();
        assert!(text.contains("deletes: sub/build with everything below it"), "{text}");
        for command in ["touch a", "cargo test", "cp a b", "ls"] {
            assert_eq!(question(command).deletions(), [], "{command}");
        }
    }
}
