//! Rules and constraints as a human writes them.

mod condition;
mod constraint;

use serde::{Deserialize, Serialize};
use windlass_protocol::{Effect, ToolName};

pub use condition::{ArgumentCondition, CustomCondition};
pub use constraint::Constraint;

/// Verdict of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "the three verdicts")]
pub enum Action {
    /// The call is denied.
    Deny,
    /// The call needs a human's answer.
    Ask,
    /// The call may run.
    Allow,
}

/// Kind of an effect, as rules and constraints name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EffectKind {
    /// Reading a file or a folder.
    Read,
    /// Creating or changing a file.
    Write,
    /// Removing a file or a folder.
    Delete,
    /// Starting a process.
    Execute,
    /// Opening a network connection.
    Network,
    /// Calling a tool of an MCP server.
    Mcp,
    /// Delegating work to another agent.
    Spawn,
    /// An effect of the application's own domain.
    Custom,
    /// A change of the run's own state only.
    Internal,
    /// An unknown effect.
    Unknown,
}

impl EffectKind {
    pub(crate) fn from_effect(effect: &Effect) -> Self {
        match effect {
            Effect::Read { .. } | Effect::ReadTree { .. } => Self::Read,
            Effect::Write { .. } | Effect::WriteTree { .. } => Self::Write,
            Effect::Delete { .. } | Effect::DeleteTree { .. } => Self::Delete,
            Effect::Execute { .. } => Self::Execute,
            Effect::Connect { .. } => Self::Network,
            Effect::Mcp { .. } => Self::Mcp,
            Effect::Spawn { .. } => Self::Spawn,
            Effect::Custom { .. } => Self::Custom,
            Effect::Internal => Self::Internal,
            // An effect of a later version.
            _ => Self::Unknown,
        }
    }
}

/// One rule of a policy. It matches a part of a call if all of its criteria match; a missing criterion always
/// matches.
///
/// Criteria are compared with the words of a command and never with its text, with the normalized path and
/// never with the path as written, with the host and never with the URL (SECURITY "Rule grammar").
///
/// ```
/// use windlass_hitl::{Action, Rule};
/// let rule = Rule::new("history", Action::Allow).with_argv(["git", "log"]);
/// assert_eq!(rule.argv, ["git", "log"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Rule {
    /// The id that decisions quote.
    pub id: String,
    /// The verdict of the rule.
    pub action: Action,
    /// The tool, by its name in the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolName>,
    /// The kind of effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectKind>,
    /// The glob that the path has to match, relative to the workspace; `**` crosses folders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The first words of a program: whole words, the program's name first. An allow rule matches only if a
    /// program's words begin with exactly these. A deny or ask rule also finds them behind quotes, wrappers
    /// and options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// The host: exactly this one, or with `*.` in front every host below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The port. Without it an allow rule matches the ports 80 and 443, any other rule every port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The MCP server, by its configured name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The tool of an MCP server, by the server's own name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_tool: Option<String>,
    /// The required fingerprint of the MCP tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The condition about a custom effect. A rule with this condition matches custom effects only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom: Option<CustomCondition>,
    /// The conditions about arguments of the call. All of them have to match.
    #[serde(default, rename = "argument", skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<ArgumentCondition>,
    /// Commands, paths or hosts that the rule has to match. They are checked when the policy is read.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// Commands, paths or hosts that the rule must not match. They are checked when the policy is read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_match: Vec<String>,
    /// An explanation for the human and the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Rule {
    /// Creates a rule that matches every call. The `with_*` methods narrow it.
    pub fn new(id: impl Into<String>, action: Action) -> Self {
        Self {
            id: id.into(),
            action,
            tool: None,
            effect: None,
            path: None,
            argv: Vec::new(),
            host: None,
            port: None,
            server: None,
            mcp_tool: None,
            fingerprint: None,
            custom: None,
            arguments: Vec::new(),
            matches: Vec::new(),
            not_match: Vec::new(),
            reason: None,
        }
    }

    /// Restricts the rule to one tool.
    pub fn with_tool(mut self, tool: ToolName) -> Self {
        self.tool = Some(tool);
        self
    }

    /// Restricts the rule to one kind of effect.
    pub fn with_effect(mut self, effect: EffectKind) -> Self {
        self.effect = Some(effect);
        self
    }

    /// Restricts the rule to paths that match a glob.
    pub fn with_path(mut self, glob: impl Into<String>) -> Self {
        self.path = Some(glob.into());
        self
    }

    /// Restricts the rule to programs that begin with these words.
    pub fn with_argv(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.argv = words.into_iter().map(Into::into).collect();
        self
    }

    /// Restricts the rule to a host, or with `*.` in front to every host below it.
    pub fn with_host(mut self, host: impl Into<String>) -> Self {
        self.host = Some(host.into());
        self
    }

    /// Restricts the rule to one port.
    pub fn with_port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// Restricts the rule to one MCP server.
    pub fn with_server(mut self, server: impl Into<String>) -> Self {
        self.server = Some(server.into());
        self
    }

    /// Restricts the rule to one tool of an MCP server.
    pub fn with_mcp_tool(mut self, tool: impl Into<String>) -> Self {
        self.mcp_tool = Some(tool.into());
        self
    }

    /// Restricts the rule to an MCP tool with exactly this fingerprint.
    pub fn with_fingerprint(mut self, fingerprint: impl Into<String>) -> Self {
        self.fingerprint = Some(fingerprint.into());
        self
    }

    /// Restricts the rule to custom effects that match a condition.
    pub fn with_custom(mut self, condition: CustomCondition) -> Self {
        self.custom = Some(condition);
        self
    }

    /// Restricts the rule to calls with an argument that matches a condition.
    pub fn with_argument(mut self, condition: ArgumentCondition) -> Self {
        self.arguments.push(condition);
        self
    }

    /// Sets the examples that the rule has to match and those that it must not match.
    pub fn with_examples(
        mut self,
        fits: impl IntoIterator<Item = impl Into<String>>,
        does_not: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.matches = fits.into_iter().map(Into::into).collect();
        self.not_match = does_not.into_iter().map(Into::into).collect();
        self
    }
}

/// Contents of a policy file: `[[rule]]` and `[[constraint]]` tables. An unknown key is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RuleFile {
    /// The rules of the file.
    #[serde(default, rename = "rule")]
    pub rules: Vec<Rule>,
    /// The constraints of the file.
    #[serde(default, rename = "constraint")]
    pub constraints: Vec<Constraint>,
}
