//! Rules and constraints as a human writes them.

use serde::{Deserialize, Serialize};
use windlass_protocol::ToolName;

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "the three verdicts")]
pub enum Action {
    /// The call does not run.
    Deny,
    /// A human is asked.
    Ask,
    /// The call runs.
    Allow,
}

/// The kinds of effect that a rule can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EffectKind {
    /// Reads a file or a folder.
    Read,
    /// Makes or changes a file.
    Write,
    /// Removes a file.
    Delete,
    /// Starts a process.
    Execute,
    /// Opens a connection.
    Network,
    /// Calls a tool of an MCP server.
    Mcp,
    /// Hands work to another agent.
    Spawn,
    /// Changes nothing outside the run.
    Internal,
    /// Cannot be told.
    Unknown,
}

/// One rule. Everything that it names has to fit; what it does not name fits always.
///
/// What is matched is never a command's text but its words, never a path as written but the path inside the
/// workspace, never a URL but its host (SECURITY "Rule grammar").
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
    /// The name under which decisions quote the rule.
    pub id: String,
    /// What it says.
    pub action: Action,
    /// A tool, by its name in the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolName>,
    /// A kind of effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectKind>,
    /// A glob over workspace-relative paths; `**` crosses folders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The first words of a program that is run: whole words, the program's name first. A rule that allows wants
    /// exactly these words at the front; one that denies or asks finds them through quotes, wrappers and options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// A host: exactly this one, or with `*.` in front every host below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// A port. Without it a rule that allows a host means the ports 80 and 443, any other rule every port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// An MCP server, as it is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// A tool of an MCP server, by the server's own name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_tool: Option<String>,
    /// The fingerprint that the MCP tool has to have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Commands, paths or hosts that the rule has to fit: checked when the policy is read.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// Commands, paths or hosts that the rule must not fit: checked when the policy is read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_match: Vec<String>,
    /// Why, in words for the human and the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Rule {
    /// A rule that fits every call, to be narrowed.
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
            matches: Vec::new(),
            not_match: Vec::new(),
            reason: None,
        }
    }

    /// The same rule for one tool.
    pub fn with_tool(mut self, tool: ToolName) -> Self {
        self.tool = Some(tool);
        self
    }

    /// The same rule for one kind of effect.
    pub fn with_effect(mut self, effect: EffectKind) -> Self {
        self.effect = Some(effect);
        self
    }

    /// The same rule for paths that fit a glob.
    pub fn with_path(mut self, glob: impl Into<String>) -> Self {
        self.path = Some(glob.into());
        self
    }

    /// The same rule for programs that begin with these words.
    pub fn with_argv(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.argv = words.into_iter().map(Into::into).collect();
        self
    }

    /// The same rule for a host, or with `*.` in front for every host below it.
    pub fn with_host(mut self, host: impl Into<String>) -> Self {
        self.host = Some(host.into());
        self
    }

    /// The same rule for one port.
    pub fn with_port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// The same rule for an MCP server.
    pub fn with_server(mut self, server: impl Into<String>) -> Self {
        self.server = Some(server.into());
        self
    }

    /// The same rule for a tool of an MCP server.
    pub fn with_mcp_tool(mut self, tool: impl Into<String>) -> Self {
        self.mcp_tool = Some(tool.into());
        self
    }

    /// The same rule for an MCP tool with exactly this fingerprint.
    pub fn with_fingerprint(mut self, fingerprint: impl Into<String>) -> Self {
        self.fingerprint = Some(fingerprint.into());
        self
    }

    /// The same rule with examples that it has to fit and that it must not fit.
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

/// A fence around one kind of effect: what it touches has to lie inside, or the call is denied, whichever tool it is
/// (RULES H15). Each list that is empty fences nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Constraint {
    /// The name under which decisions quote the constraint.
    pub id: String,
    /// The kind of effect that is fenced.
    pub effect: EffectKind,
    /// Globs of which the effect's path has to fit one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Globs of which the effect's path may fit none; one without `/` is about the file's name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<String>,
    /// Endings, without the dot, of which the file's name has to have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// The most bytes that a written file may have. Where a tool cannot tell, a human is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Hosts of which a connection has to go to one, written as in rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Ports of which a connection has to go to one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<u16>,
}

impl Constraint {
    /// A fence of these globs around a kind of effect.
    pub fn new(id: impl Into<String>, effect: EffectKind, paths: Vec<String>) -> Self {
        Self {
            id: id.into(),
            effect,
            paths,
            blocked: Vec::new(),
            extensions: Vec::new(),
            max_bytes: None,
            hosts: Vec::new(),
            ports: Vec::new(),
        }
    }

    /// The same fence with globs that the path must not fit.
    pub fn with_blocked(mut self, globs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.blocked = globs.into_iter().map(Into::into).collect();
        self
    }

    /// The same fence with the endings that a file may have.
    pub fn with_extensions(mut self, endings: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.extensions = endings.into_iter().map(Into::into).collect();
        self
    }

    /// The same fence with the most bytes of a written file.
    pub fn with_max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// The same fence with the hosts and ports that may be reached.
    pub fn with_hosts(
        mut self,
        hosts: impl IntoIterator<Item = impl Into<String>>,
        ports: impl IntoIterator<Item = u16>,
    ) -> Self {
        self.hosts = hosts.into_iter().map(Into::into).collect();
        self.ports = ports.into_iter().collect();
        self
    }
}

/// A policy file: `[[rule]]` and `[[constraint]]` tables. An unknown key is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RuleFile {
    /// The rules.
    #[serde(default, rename = "rule")]
    pub rules: Vec<Rule>,
    /// The constraints.
    #[serde(default, rename = "constraint")]
    pub constraints: Vec<Constraint>,
}
