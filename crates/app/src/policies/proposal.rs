//! The rule that a person makes of an answer to a question.

mod candidates;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use windlass_hitl::{
    ApprovalHistory, ApprovalRequest, Decision, Grants, Policy, PolicyInput, Rule, RuleFile,
};
use windlass_hitl::{Source, Verdict, decide};
use windlass_protocol::Hints;

use self::candidates::{Candidate, find_candidates};
use super::files::{MAX_POLICY_BYTES, POLICY, load_policy};
use super::owner::check_owner;
use crate::app::App;
use crate::error::{Context as _, Result, bail, ensure};
use crate::hex::short_hex;
use crate::storage::change_settings;

/// Proposal of the narrowest rule that allows a call and similar ones, for the user's policy file.
///
/// The rule names the tool, the kind of effect and the place: files with the same extension in the same folder, the
/// first words of a command, one host and port, one tool of an MCP server with its current definition, or one target of
/// an effect of the application. A call with several effects gets several rules, and only those that it needs. The
/// proposal is tested: with it, the policy allows the call without a question.
///
/// [`write`](Self::write) appends the rule with its examples, which the policy tests whenever it reads the file. A run
/// that works keeps its policy, so the rule counts from the next start or resume on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleProposal {
    /// The rules.
    pub rules: Vec<Rule>,
    /// Examples that the rules allow, each with the tool and the effect.
    pub allows: Vec<String>,
    /// Examples that the rules do not cover.
    pub refuses: Vec<String>,
    /// The text for the policy file.
    pub text: String,
    /// The policy file.
    pub file: PathBuf,
    /// Digest of the text and the file. An answer names it, so that the written rule is the one that was shown.
    pub digest: String,
}

impl RuleProposal {
    /// Proposes a rule for a question of a run in the workspace `root`. `named` is the policy file of the run, if it is
    /// not the user's default one.
    ///
    /// # Errors
    ///
    /// Fails if the approval of the call cannot be remembered, if no narrow rule covers the call, or if the policy
    /// cannot be read.
    pub fn new(app: &App, root: &Path, named: Option<&Path>, request: &ApprovalRequest) -> Result<Self> {
        ensure!(
            request.can_remember,
            Conflict,
            "a rule of the policy asks about this call each time, so another rule cannot allow it"
        );
        let file = match named {
            Some(file) => file.to_owned(),
            None => app
                .settings_file(POLICY)
                .context("no folder for settings: set WINDLASS_CONFIG_DIR or HOME")?,
        };
        let policy = load_policy(app, root, named)?;
        let candidates = choose(&policy, root, request, number(&policy, find_candidates(request)?))?;
        let mut proposal = Self {
            rules: Vec::new(),
            allows: Vec::new(),
            refuses: Vec::new(),
            text: String::new(),
            file,
            digest: String::new(),
        };
        for Candidate { rule, allows, refuses } in candidates {
            proposal.rules.push(rule);
            proposal.allows.extend(allows);
            proposal.refuses.extend(refuses);
        }
        proposal.text = to_text(&proposal.rules)?;
        proposal.digest = digest(&proposal.file, &proposal.text);
        Ok(proposal)
    }

    /// Appends the rule to the policy file, and creates a missing file. The rest of the file stays as it is.
    ///
    /// # Errors
    ///
    /// Fails if other users can write the file, if the file would be invalid with the rule, or if it cannot be written.
    pub fn write(&self) -> Result<()> {
        let refused = || format!("the rule cannot be added to {}", self.file.display());
        change_settings(&self.file, |real| self.append_to(real)).with_context(refused)
    }

    /// Returns the text of the file with the rule, after a test of the whole file.
    fn append_to(&self, file: &Path) -> Result<String> {
        let mut text = match fs::read_to_string(file) {
            Ok(text) => {
                check_owner(file)?;
                text
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error.into()),
        };
        if !text.is_empty() {
            text.push_str(if text.ends_with('\n') { "\n" } else { "\n\n" });
        }
        text.push_str(&self.text);
        ensure!(
            text.len() <= MAX_POLICY_BYTES,
            Invalid,
            "the file would have more than {MAX_POLICY_BYTES} bytes"
        );
        let rules: RuleFile = toml::from_str(&text)?;
        Policy::default().with_file(Source::User, rules)?;
        Ok(text)
    }
}

/// Gives each candidate an id that no rule of the policy has.
fn number(policy: &Policy, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut next = 1_usize;
    for Candidate { rule, .. } in &mut candidates {
        let tool = rule.tool.as_ref().map(ToString::to_string).unwrap_or_default();
        let id = |number: usize| format!("answer-{tool}-{number}");
        while policy.ids().any(|(known, _)| known == id(next)) {
            next = next.saturating_add(1);
        }
        rule.id = id(next);
        next = next.saturating_add(1);
    }
    candidates
}

/// Removes the candidates that the call does not need.
fn choose(
    policy: &Policy,
    root: &Path,
    request: &ApprovalRequest,
    mut candidates: Vec<Candidate>,
) -> Result<Vec<Candidate>> {
    let decision = decide_with(policy, root, request, &candidates)?;
    if decision.verdict != Verdict::Allow {
        // The rule is built in or proposed, and a person does not know its name.
        bail!(Conflict, "no narrow rule can allow this call: {}", decision.reason.text);
    }
    let mut at = 0;
    while at < candidates.len() && candidates.len() > 1 {
        let candidate = candidates.remove(at);
        if decide_with(policy, root, request, &candidates)?.verdict != Verdict::Allow {
            candidates.insert(at, candidate);
            at = at.saturating_add(1);
        }
    }
    Ok(candidates)
}

/// Decides about the call of a question with these rules, before any answer of a person.
fn decide_with(
    policy: &Policy,
    root: &Path,
    request: &ApprovalRequest,
    candidates: &[Candidate],
) -> Result<Decision> {
    let mut file = RuleFile::default();
    file.rules = candidates.iter().map(|candidate| candidate.rule.clone()).collect();
    let policy = policy.clone().with_file(Source::User, file)?;
    let effects = request.effects.clone();
    let facts = PolicyInput::new(request.tool.clone(), Hints::default(), &request.call, effects)
        .with_sight(request.targets.clone(), request.containment.clone())
        .with_links(policy.resolve_links())
        .with_place(root.to_string_lossy(), 0);
    Ok(decide(&policy, &Grants::default(), &ApprovalHistory::default(), &facts))
}

fn to_text(rules: &[Rule]) -> Result<String> {
    #[derive(Serialize)]
    struct Rules<'a> {
        rule: &'a [Rule],
    }

    Ok(toml::to_string(&Rules { rule: rules })?)
}

fn digest(file: &Path, text: &str) -> String {
    let mut digest = Sha256::new();
    digest.update(file.as_os_str().as_encoded_bytes());
    digest.update([0]);
    digest.update(text.as_bytes());
    short_hex(&digest.finalize())
}
