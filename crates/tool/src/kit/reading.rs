//! The rules that need no call.

use serde_json::Value;
use windlass_protocol::kit::RuleViolation;
use windlass_protocol::{Effect, Payload, ToolSpec};

use super::ToolRule;
use super::arguments::damage;
use super::catching::catch;
use crate::{EarlyArguments, GrowingArguments, ProgressSink, Tool};

type RuleResult = Result<(), RuleViolation<ToolRule>>;

pub(super) fn check_spec(tool: &dyn Tool) -> RuleResult {
    let (spec, hints) = (catch("spec", || tool.spec().clone())?, catch("hints", || tool.hints())?);
    if spec != catch("spec", || tool.spec().clone())? || hints != catch("hints", || tool.hints())? {
        let found = "`spec` or `hints` returned two different values";
        return Err(RuleViolation::new(ToolRule::RepeatsItsSpec, found));
    }
    if spec.description().trim().is_empty() {
        return Err(RuleViolation::new(ToolRule::DescribesItself, "the description is empty"));
    }
    let ToolSpec::Function { parameters, .. } = &spec else { return Ok(()) };
    let schema: Value = serde_json::from_str(parameters.as_str()).unwrap_or_default();
    if schema.get("type").and_then(Value::as_str) == Some("object") {
        return Ok(());
    }
    let found = format!("the schema is {}", parameters.as_str());
    Err(RuleViolation::new(ToolRule::HasAnObjectSchema, found))
}

pub(super) fn check_effects(tool: &dyn Tool, example: &Payload) -> RuleResult {
    let effects = catch("effects", || tool.effects(example))?;
    if effects != catch("effects", || tool.effects(example))? {
        let found = "`effects` returned two different lists for one payload";
        return Err(RuleViolation::new(ToolRule::RepeatsEffects, found));
    }
    if catch("inspect", || tool.inspect(example))? != catch("inspect", || tool.inspect(example))? {
        let found = "`inspect` returned two different values for one payload";
        return Err(RuleViolation::new(ToolRule::RepeatsInspection, found));
    }
    match effects.iter().find(|effect| changes_something(effect)) {
        Some(effect) if tool.hints().read_only => {
            let found = format!("the hint is `read_only`, and an effect is {}", effect.kind());
            Err(RuleViolation::new(ToolRule::HintsAtChanges, found))
        }
        _ => Ok(()),
    }
}

fn changes_something(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Write { .. }
            | Effect::WriteTree { .. }
            | Effect::Delete { .. }
            | Effect::DeleteTree { .. }
            | Effect::Execute { .. }
    )
}

/// Passes damaged payloads to the methods that the toolbox calls before a call runs.
pub(super) fn check_damaged(tool: &dyn Tool, example: &Payload) -> RuleResult {
    for payload in damage(example) {
        catch("effects", || drop(tool.effects(&payload)))?;
        catch("inspect", || drop(tool.inspect(&payload)))?;
    }
    Ok(())
}

/// Passes the arguments in pieces, as a model writes them.
pub(super) fn check_early(tool: &dyn Tool, example: &Payload) -> RuleResult {
    let Payload::Function { arguments } = example else { return Ok(()) };
    for text in [arguments.as_str(), "{\"a\":[[[", "not JSON"] {
        let mut growing = GrowingArguments::default();
        for character in text.chars() {
            growing.push(character.encode_utf8(&mut [0; 4]));
            catch("on_partial", || tool.on_partial(&mut ProgressSink::new(&mut |_| {}), &mut growing))?;
        }
    }
    let declared = remove_sizes(tool.effects(example));
    let mut early = EarlyArguments::default();
    for (name, value) in arguments.as_object() {
        early.insert(name.clone(), value.clone());
        let certain = remove_sizes(catch("early_effects", || tool.early_effects(&early))?);
        if let Some(effect) = certain.iter().find(|effect| !declared.contains(effect)) {
            let found = format!("`early_effects` returned {effect:?}, which `effects` does not return");
            return Err(RuleViolation::new(ToolRule::KeepsEarlyEffects, found));
        }
    }
    Ok(())
}

/// Removes the sizes of writes, which early arguments do not show.
fn remove_sizes(effects: Vec<Effect>) -> Vec<Effect> {
    let remove = |effect| match effect {
        Effect::Write { path, .. } => Effect::Write { path, bytes: None },
        other => other,
    };
    effects.into_iter().map(remove).collect()
}
