//! Digest of a policy.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::Policy;
use crate::canonical::canonical;
use crate::{Constraint, Rule, Source};

/// One element of a policy in the form that the digest covers: the form of policy files, in which each field
/// has a name of its own.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Element<'a> {
    Rule { source: Source, rule: &'a Rule },
    Constraint { source: Source, constraint: &'a Constraint },
    Reachable { host: &'a str, port: u16 },
    Code { id: &'a str },
}

/// Computes the digest of a policy, in hexadecimal. The order of its elements does not count.
pub(super) fn epoch(policy: &Policy) -> String {
    let mut hash = Sha256::new();
    for text in texts(policy) {
        // Hash the length before each text, so that two lists of texts cannot give the same bytes.
        hash.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// Returns the elements of a policy as canonical JSON, sorted.
fn texts(policy: &Policy) -> Vec<String> {
    let rules = policy.rules.iter().map(|rule| Element::Rule { source: rule.source, rule: &rule.rule });
    let fences = policy
        .fences
        .iter()
        .map(|fence| Element::Constraint { source: fence.source, constraint: &fence.constraint });
    let reachable = policy.reachable.iter().map(|(host, port)| Element::Reachable { host, port: *port });
    let code = policy.code.ids().map(|id| Element::Code { id });
    let mut texts: Vec<String> =
        rules.chain(fences).chain(reachable).chain(code).map(|element| canonical(&element)).collect();
    texts.sort_unstable();
    texts
}

#[cfg(test)]
mod tests {
    //! The text that the digest covers.

    use super::texts;
    use crate::{Action, Constraint, EffectKind, Policy, Rule, RuleFile, Source};

    // Learned approvals are stored under the digest, and must not be lost because a private field has another
    // name: this text may change only together with a line in the changelog.
    #[test]
    fn the_digest_covers_the_form_of_policy_files() {
        let mut file = RuleFile::default();
        let rule = Rule::new("docs", Action::Ask).with_path("docs/**").with_argv(["git", "log"]);
        file.rules.push(rule.with_host("*.example.com").with_port(80));
        let paths = vec!["src/**".to_owned()];
        file.constraints.push(Constraint::new("small", EffectKind::Write, paths).with_max_bytes(9));
        let policy = Policy::default().with_file(Source::User, file).unwrap().with_reachable("LocalHost", 7);
        let expected = [
            r#"{"constraint":{"constraint":{"effect":"write","id":"small","max_bytes":9,"paths":["src/**"]},"source":"user"}}"#,
            r#"{"reachable":{"host":"localhost","port":7}}"#,
            r#"{"rule":{"rule":{"action":"allow","effect":"internal","id":"b.internal"},"source":"builtin"}}"#,
            r#"{"rule":{"rule":{"action":"allow","effect":"read","id":"b.read"},"source":"builtin"}}"#,
            r#"{"rule":{"rule":{"action":"ask","argv":["git","log"],"host":"*.example.com","id":"docs","path":"docs/**","port":80},"source":"user"}}"#,
        ];
        assert_eq!(texts(&policy), expected);
    }
}
