//! The stage of ask rules.

use globset::Candidate;

use super::rules::{breaches, quote_reason, rules};
use crate::must_ask::must_ask;
use crate::part::{Part, word_parts};
use crate::policy::{Breach, CompiledRule};
use crate::reading::CommandReading;
use crate::{Action, Policy, PolicyInput, Reason, Source, Stage, TraceEntry, Verdict};

/// Runs the stage of ask rules: ask rules, deny rules and constraints whose match is uncertain, and the
/// built-in must-ask rules.
pub(super) fn demand(policy: &Policy, facts: &PolicyInput, part: &Part<'_>) -> Option<TraceEntry> {
    let by_rule =
        rules(policy, Action::Ask, &facts.tool, part).map(|rule| quote_reason(rule, "a rule asks for this"));
    let unclear = breaches(policy, part).filter_map(|(id, source, breach)| match breach {
        Breach::Unclear(text) => Some(Reason::new(id, source, text)),
        Breach::Broken(_) => None,
    });
    let by_words = reasons_of_words(policy, facts, part);
    let possible = rules(policy, Action::Deny, &facts.tool, part).filter(|rule| !rule.is_certain(part));
    let possible = possible
        .map(|rule| quote_reason(rule, "a rule may deny this for a name or an amount that is not known"));
    let reasons =
        by_rule.chain(by_words).chain(possible).chain(unclear).chain(must_ask(facts, part)).collect();
    name_whole_text(part, reasons)
        .into_iter()
        .min_by(|left, right| left.rule_id.cmp(&right.rule_id))
        .map(|reason| part.to_entry(Stage::AskRules, Verdict::Ask, reason))
}

/// Gives the question another id if the only reason is that a text which names all of its programs is not plain words.
/// With any other reason the call is asked each time.
fn name_whole_text(part: &Part<'_>, mut reasons: Vec<Reason>) -> Vec<Reason> {
    if let [only] = reasons.as_mut_slice()
        && only.source == Source::Builtin
        && only.rule_id == Reason::NOT_SIMPLE
        && part.reading.as_ref().is_some_and(CommandReading::is_whole_text)
    {
        Reason::WHOLE_TEXT.clone_into(&mut only.rule_id);
    }
    reasons
}

/// Returns a reason to ask for each deny or ask rule that would match if a word of the command were a path or
/// a program.
fn reasons_of_words(policy: &Policy, facts: &PolicyInput, part: &Part<'_>) -> Vec<Reason> {
    let Some(reading) = &part.reading else { return Vec::new() };
    let text = "a word of the command may match this rule";
    let reason = |rule: &CompiledRule| Reason::new(&rule.rule.id, rule.source, text);
    let strict: Vec<&CompiledRule> = policy
        .rules
        .iter()
        .map(AsRef::as_ref)
        .filter(|rule: &&CompiledRule| rule.rule.action != Action::Allow)
        .collect();
    let may_run = |rule: &&&CompiledRule| rule.may_be_run_by(&facts.tool, part, &reading.scan);
    let mut reasons: Vec<Reason> = strict.iter().filter(may_run).map(|rule| reason(rule)).collect();
    let about_paths: Vec<&CompiledRule> =
        strict.into_iter().filter(|rule| rule.rule.path.is_some()).collect();
    if about_paths.is_empty() {
        return reasons;
    }
    for word in word_parts(facts, part) {
        let path = word.path.as_deref().map(Candidate::new);
        let fitting = about_paths.iter().filter(|rule| rule.fits(&facts.tool, &word, path.as_ref()));
        reasons.extend(fitting.map(|rule| reason(rule)));
    }
    reasons
}
