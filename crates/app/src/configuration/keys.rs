//! The known settings: types, defaults, and the rules for a project's file.

use super::value::ValueKind;
use crate::config::Autonomy;

/// A setting of `config.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigKey {
    /// Name. A dot separates the table from the key in it.
    pub name: &'static str,
    /// Type of the value.
    pub kind: ValueKind,
    /// Value if neither a file nor the environment sets one.
    pub default: Option<&'static str>,
    /// Permission of a project's file to set the value.
    pub project: ProjectRule,
    /// Description for people.
    pub about: &'static str,
}

/// Permission of a project's file to set a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProjectRule {
    /// A value counts if it is stricter than the user's.
    Stricter,
    /// A value counts in a folder that the user trusts.
    Trusted,
    /// A value never counts, for this reason.
    Never(&'static str),
}

const ADDRESS: &str = "a project must not choose the address that receives your key and your files";
const PERMISSION: &str = "a project must not widen the permissions of a run";
const PROGRAM: &str = "a project must not choose a program that runs on your machine";
const PERSONAL: &str = "it is a matter of the user";

const AUTONOMY: &[&str] = &Autonomy::NAMES;
const PRESET: &[&str] = &["minimal", "standard", "full"];
const SANDBOX: &[&str] = &["auto", "required", "off"];
const THEME: &[&str] = &["auto", "dark", "light", "none"];

/// The earlier name of the command for notifications, and the name now.
pub(super) const NOTIFY: &str = "notify";
const NOTIFY_COMMAND: &str = "notify.command";

/// Maximum number of answers of the model, as text.
const TURNS: &str = "100";

const fn key(name: &'static str, kind: ValueKind, project: ProjectRule, about: &'static str) -> ConfigKey {
    ConfigKey { name, kind, default: None, project, about }
}

const fn with_default(key: ConfigKey, default: &'static str) -> ConfigKey {
    ConfigKey { default: Some(default), ..key }
}

use ProjectRule::{Never, Stricter, Trusted};
use ValueKind::{Amount, Boolean, Choice, Effort, Integer, List, Text, Wire};

/// All settings, in the order in which they are listed.
static KEYS: [ConfigKey; 34] = [
    key("profile", Text, Never(PERSONAL), "Profile that is used if none is named"),
    key("provider", Text, Never(ADDRESS), "Name of the provider"),
    key("base_url", Text, Never(ADDRESS), "Address of an endpoint, in place of the provider's own"),
    key("wire", Wire, Never(ADDRESS), "Wire format, in place of the provider's own"),
    key("model", Text, Trusted, "Name of the model at the provider"),
    key("fallback", List, Never(ADDRESS), "Models that are used if the one before fails"),
    key("effort", Effort, Trusted, "Amount of reasoning"),
    key("max_tokens", Integer, Trusted, "Maximum number of tokens of an answer"),
    key("mode", Text, Trusted, "Work mode"),
    with_default(key("autonomy", Choice(AUTONOMY), Stricter, "Actions without a question"), "ask"),
    with_default(key("preset", Choice(PRESET), Stricter, "Set of tools"), "standard"),
    with_default(key("sandbox", Choice(SANDBOX), Stricter, "Confinement of commands"), "auto"),
    key("policy", Text, Never(PERMISSION), "Policy file"),
    key("tools", List, Never(PERMISSION), "Tools besides those of the preset"),
    key("disabled_tools", List, Stricter, "Tools that are never offered"),
    key("features", List, Never(PERMISSION), "Enabled features"),
    with_default(key("mcp", Boolean, Stricter, "Use of the configured MCP servers"), "true"),
    with_default(
        key("checkpoints", Boolean, Never("checkpoints undo what a run did"), "Checkpoints of each turn"),
        "true",
    ),
    with_default(key("until_done", Boolean, Trusted, "Only the completion tool ends a task"), "false"),
    with_default(key("max_turns", Integer, Stricter, "Maximum number of answers; 0 is no limit"), TURNS),
    with_default(key("max_cost", Amount, Stricter, "Cost at which a run stops; 0 is no limit"), "0"),
    key("context_window", Integer, Trusted, "Context window of the model in tokens"),
    with_default(
        key("retry_for", Integer, Never(PERSONAL), "Seconds of retries while a provider is overloaded"),
        "600",
    ),
    with_default(key("budget.requests", Integer, Stricter, "Requests before a question; 0 never asks"), "0"),
    with_default(key("budget.cost", Amount, Stricter, "Cost before a question; 0 never asks"), "0"),
    with_default(key("budget.tokens", Integer, Stricter, "Tokens before a question; 0 never asks"), "0"),
    with_default(key("budget.seconds", Integer, Stricter, "Seconds before a question; 0 never asks"), "0"),
    with_default(key("learning.enabled", Boolean, Never(PERMISSION), "Learning from your answers"), "false"),
    with_default(
        key("hooks.may_permit", Boolean, Never(PERMISSION), "Permission for your hooks to allow calls"),
        "false",
    ),
    with_default(
        key("hooks.claude_settings", Boolean, Never(PROGRAM), "Hooks of ~/.claude/settings.json"),
        "false",
    ),
    key("notify.command", List, Never(PROGRAM), "Program and arguments that are started for a notification"),
    key("notify.webhook", Text, Never(ADDRESS), "Address to which a notification is posted"),
    with_default(key("theme", Choice(THEME), Never(PERSONAL), "Colors of the terminal"), "auto"),
    with_default(
        key(
            "fullscreen",
            Boolean,
            Never(PERSONAL),
            "A conversation on the whole screen, with its own scrolling",
        ),
        "false",
    ),
];

impl ConfigKey {
    /// Returns all settings.
    pub fn all() -> &'static [Self] {
        &KEYS
    }

    /// Returns the setting of a name. Hyphens count as underscores, and `notify` as the name of its command.
    pub fn find(name: &str) -> Option<&'static Self> {
        let name = name.replace('-', "_");
        let name = if name == NOTIFY { NOTIFY_COMMAND } else { &name };
        KEYS.iter().find(|key| key.name == name)
    }

    /// Returns the environment variable that sets the value: `WINDLASS_MAX_TURNS`. Lists have none, and learning is
    /// enabled by the user's file alone.
    pub fn variable(&self) -> Option<String> {
        let has_none = self.kind == List || self.name == "learning.enabled";
        (!has_none).then(|| format!("WINDLASS_{}", self.name.replace('.', "_").to_uppercase()))
    }
}
