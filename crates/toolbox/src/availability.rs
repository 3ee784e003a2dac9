//! Availability of tools: the filters in their order (RULES L11).
//!
//! The candidates are the tools of the preset, the additions of the configuration and of the model's rule,
//! the tools that every mode has, every tool of a server or from `DynamicTools`, and the program's own
//! tools: those whose name the presets do not know, and those that the presets do not mean. The filters then remove,
//! in this order: tools of groups that the mode does not grant; tools that the model's rule excludes, unless
//! the configuration adds them by name; tools whose feature is off; tools that cannot work in this
//! environment; disabled tools. A filter only removes, so the order only determines which reason is reported.

use windlass_protocol::ResultStatus;

use crate::WorkMode;
use crate::catalogue::{is_always_there, is_known, is_of_every_mode};
use crate::entry::Entry;
use crate::index::FixedTools;
use crate::refusal::CallRefusal;

/// The availability of a tool: offered, or the reason why it is hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Availability {
    /// The model sees the tool and may call it.
    Offered,
    /// Neither the preset nor the additions contain the tool.
    NotInPreset,
    /// The mode does not grant the tool's group.
    NotInMode,
    /// The calling agent does not have the tool or did not pass it on.
    NotForAgent,
    /// The rule for this model excludes the tool.
    NotForModel,
    /// The tool requires a feature that is off.
    FeatureOff {
        /// The name of the feature.
        feature: String,
    },
    /// The tool cannot work in this environment.
    Unavailable {
        /// A short reason.
        reason: String,
    },
    /// The configuration disables the tool.
    Disabled,
    /// The tool was removed from the dynamic tools or from its server.
    Removed,
    /// The tool is offered only after a search found it.
    Deferred,
}

impl Availability {
    /// Returns whether the model sees the tool and may call it.
    pub fn is_offered(&self) -> bool {
        *self == Self::Offered
    }
}

pub(crate) fn availability(plan: &FixedTools, mode: Option<&WorkMode>, entry: &Entry) -> Availability {
    let name = entry.name.as_str();
    let is_in_rule =
        |names: &[String]| names.iter().any(|known| known == name) && plan.rule.is_about(entry.tool.as_ref());
    let is_wanted = plan.config.wants(name)
        || !(is_known(name) && entry.tool.is_in_presets())
        || is_in_rule(&plan.rule.include)
        || (mode.is_some() && is_always_there(name))
        || entry.is_dynamic();
    if !is_wanted {
        return Availability::NotInPreset;
    }
    if !is_of_every_mode(name) && mode.is_some_and(|mode| !mode.gives(entry.group)) {
        return Availability::NotInMode;
    }
    if is_in_rule(&plan.rule.exclude) && !plan.config.adds(name) {
        return Availability::NotForModel;
    }
    if let Some(feature) = plan.config.missing_feature(name, entry.tool.feature()) {
        return Availability::FeatureOff { feature: feature.to_owned() };
    }
    if let Some(reason) = plan.unavailable.get(name) {
        return Availability::Unavailable { reason: reason.clone() };
    }
    if name == SWITCH_MODE && plan.modes.is_empty() {
        return Availability::Unavailable { reason: "no modes are defined".to_owned() };
    }
    if plan.config.disabled.iter().any(|less| less == name) {
        return Availability::Disabled;
    }
    match (entry.is_removed(), entry.is_deferred()) {
        (true, _) => Availability::Removed,
        (false, true) => Availability::Deferred,
        (false, false) => Availability::Offered,
    }
}

/// The tool that changes the mode. Without modes it is unavailable.
const SWITCH_MODE: &str = "switch_mode";

/// Returns the refusal of a call of a hidden tool (RULES N1).
pub(crate) fn explain_hidden(
    plan: &FixedTools,
    mode: Option<&WorkMode>,
    entry: &Entry,
    availability: &Availability,
) -> CallRefusal {
    let shown = &entry.shown;
    let unknown = |text: String| CallRefusal::new(ResultStatus::UnknownTool, text);
    match availability {
        Availability::Offered => unknown(format!("{shown} is offered")),
        Availability::NotInPreset => {
            unknown(format!("{shown} is not one of the tools of this conversation."))
        }
        Availability::NotInMode => explain_mode(plan, mode, entry),
        Availability::NotForAgent => {
            let text = format!("{shown} is not available to this agent (rule f.caller_rights).");
            CallRefusal::new(ResultStatus::Denied, text)
        }
        Availability::NotForModel => unknown(format!("{shown} is not offered to this model.")),
        Availability::FeatureOff { feature } => {
            unknown(format!("{shown} is not offered: it needs the feature {feature}, which is off."))
        }
        Availability::Unavailable { reason } => unknown(format!("{shown} cannot be used here: {reason}.")),
        Availability::Disabled => unknown(format!("{shown} is switched off.")),
        Availability::Deferred => {
            unknown(format!("{shown} was not run: its definition has not been sent to the model."))
                .with_advice("Search for it with tool_search, and call it in your next turn.")
        }
        Availability::Removed => {
            unknown(format!("{shown} was removed during the conversation, and was not run."))
        }
    }
}

/// Returns the refusal of a call whose group the mode does not include.
fn explain_mode(plan: &FixedTools, mode: Option<&WorkMode>, entry: &Entry) -> CallRefusal {
    let (shown, group) = (&entry.shown, entry.group);
    let here = mode.map_or_else(String::new, |mode| format!(" {} ({})", mode.name, mode.slug));
    let modes: Vec<_> = (plan.modes.iter())
        .filter(|mode| availability(plan, Some(mode), entry).is_offered())
        .map(|mode| mode.slug.as_str())
        .collect();
    let (others, advice) = match modes.as_slice() {
        [] => ("No mode has it.".to_owned(), "Continue without it.".to_owned()),
        modes => (
            format!("It is available in: {}.", modes.join(", ")),
            format!("Change the mode with {SWITCH_MODE}, or continue without it."),
        ),
    };
    let text = format!(
        "{shown} was not run: it belongs to the group {group}, which the mode{here} does not include. {others}"
    );
    CallRefusal::new(ResultStatus::Denied, text).with_advice(advice)
}
