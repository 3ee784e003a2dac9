//! Availability of tools: the filters in their order (RULES L11).
//!
//! The candidates are the tools of the preset, the additions of the configuration and of the model's rule,
//! the tools that every mode has, and every tool of a server or from `DynamicTools`. The filters then remove,
//! in this order: tools of groups that the mode does not grant; tools that the model's rule excludes, unless
//! the configuration adds them by name; tools whose feature is off; tools that cannot work in this
//! environment; disabled tools. A filter only removes, so the order only determines which reason is reported.

use crate::WorkMode;
use crate::catalogue::{is_always_there, is_of_every_mode};
use crate::entry::Entry;
use crate::toolbox::Plan;

/// The availability of a tool: offered, or the reason why it is hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
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

impl Standing {
    /// Returns whether the model sees the tool and may call it.
    pub fn is_offered(&self) -> bool {
        *self == Self::Offered
    }
}

pub(crate) fn standing(plan: &Plan, mode: Option<&WorkMode>, entry: &Entry) -> Standing {
    let name = entry.name.as_str();
    let is_in_rule =
        |names: &[String]| names.iter().any(|known| known == name) && plan.rule.is_about(entry.tool.as_ref());
    let is_wanted = plan.config.wants(name)
        || is_in_rule(&plan.rule.include)
        || (mode.is_some() && is_always_there(name))
        || entry.is_guest();
    if !is_wanted {
        return Standing::NotInPreset;
    }
    if !is_of_every_mode(name) && mode.is_some_and(|mode| !mode.gives(entry.group)) {
        return Standing::NotInMode;
    }
    if is_in_rule(&plan.rule.exclude) && !plan.config.adds(name) {
        return Standing::NotForModel;
    }
    if let Some(feature) = plan.config.missing_feature(name, entry.tool.feature()) {
        return Standing::FeatureOff { feature: feature.to_owned() };
    }
    if let Some(reason) = plan.unavailable.get(name) {
        return Standing::Unavailable { reason: reason.clone() };
    }
    if name == SWITCH_MODE && plan.modes.is_empty() {
        return Standing::Unavailable { reason: "there are no modes".to_owned() };
    }
    if plan.config.disabled.iter().any(|less| less == name) {
        return Standing::Disabled;
    }
    match (entry.is_removed(), entry.is_deferred()) {
        (true, _) => Standing::Removed,
        (false, true) => Standing::Deferred,
        (false, false) => Standing::Offered,
    }
}

/// The tool that changes the mode. Without modes it is unavailable.
const SWITCH_MODE: &str = "switch_mode";

/// Returns the reason why a hidden tool cannot be called, worded for the model (RULES N1).
pub(crate) fn explain_hidden(
    plan: &Plan,
    mode: Option<&WorkMode>,
    entry: &Entry,
    standing: &Standing,
) -> String {
    let shown = &entry.shown;
    match standing {
        Standing::Offered => format!("{shown} is offered"),
        Standing::NotInPreset => format!("{shown} is not one of the tools of this conversation."),
        Standing::NotInMode => {
            let group = entry.group;
            let here = mode.map_or_else(String::new, |mode| format!(" {} ({})", mode.name, mode.slug));
            let modes: Vec<_> = (plan.modes.iter())
                .filter(|mode| self::standing(plan, Some(mode), entry).is_offered())
                .map(|mode| mode.slug.as_str())
                .collect();
            let where_else = match modes.as_slice() {
                [] => "No mode has it: go on without it.".to_owned(),
                modes => format!(
                    "It is available in: {}. Change the mode with {SWITCH_MODE}, or go on without it.",
                    modes.join(", ")
                ),
            };
            format!(
                "{shown} was not run: it is of the group {group}, which the mode{here} does not give. {where_else}"
            )
        }
        Standing::NotForAgent => format!("{shown} was not given to this agent (rule f.caller_rights)."),
        Standing::NotForModel => format!("{shown} is not offered to this model."),
        Standing::FeatureOff { feature } => {
            format!("{shown} is not offered: it needs the feature {feature}, which is off.")
        }
        Standing::Unavailable { reason } => format!("{shown} cannot be used here: {reason}."),
        Standing::Disabled => format!("{shown} is switched off."),
        Standing::Deferred => {
            format!("{shown} was not run: look for it with tool_search, and call it in your next turn.")
        }
        Standing::Removed => format!("{shown} was removed while the conversation went on, and was not run."),
    }
}
