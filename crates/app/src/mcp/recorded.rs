//! MCP servers of a recorded run: the part of them that a recording stores, so that a replay starts no server.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::config::{ConfiguredServer, ServerOwner};
use super::entry::{ApprovalRule, ServerEntry, ToolEntry};

/// Name of the definitions in a recording.
pub(crate) const SOURCE: &str = "mcp";

/// The servers of a recorded run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedServers {
    /// True if an approval of a tool accepted the definition of the tool.
    pub(crate) accepts_tools: bool,
    pub(crate) servers: Vec<RecordedServer>,
}

/// A server of a recorded run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedServer {
    pub(crate) name: String,
    pub(crate) owner: ServerOwner,
    /// The reason why the run began without the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<String>,
    /// True if the server announced the resources capability.
    #[serde(default)]
    pub(crate) has_resources: bool,
    /// The offered tools: each a member of the server's answer to `tools/list`, as the text that it sent.
    #[serde(default)]
    pub(crate) tools: Vec<String>,
    /// Names of the tools whose definition a human had accepted before the run.
    #[serde(default)]
    pub(crate) accepted: BTreeSet<String>,
    /// Configured approvals, by tool. The other tools are decided by policy.
    #[serde(default)]
    pub(crate) approvals: BTreeMap<String, ApprovalRule>,
}

impl RecordedServers {
    /// Limits the approvals that allow tools to the tools for which the run has rules, and includes the rules of tools
    /// that the list of the server does not contain any more.
    #[cfg(feature = "mcp")]
    pub(crate) fn fix_permissions(&mut self, ruled: &[(String, Vec<String>)]) {
        for server in &mut self.servers {
            let allowed = ruled.iter().filter(|(name, _)| *name == server.name).flat_map(|(_, tools)| tools);
            server.approvals.retain(|_, approval| *approval != ApprovalRule::Never);
            server.approvals.extend(allowed.map(|tool| (tool.clone(), ApprovalRule::Never)));
        }
    }

    /// Returns the tools with approvals that allow them, by server.
    #[cfg(feature = "mcp")]
    pub(crate) fn find_permitted_tools(&self) -> Vec<(String, Vec<String>)> {
        let permitted = |server: &RecordedServer| {
            let tools = server.approvals.iter().filter(|(_, approval)| **approval == ApprovalRule::Never);
            (server.name.clone(), tools.map(|(tool, _)| tool.clone()).collect())
        };
        self.servers.iter().map(permitted).collect()
    }

    /// Returns true if both offer the same tools and resources.
    #[cfg(feature = "mcp")]
    pub(crate) fn offers_same(&self, other: &Self) -> bool {
        let offer =
            |server: &RecordedServer| (server.name.clone(), server.has_resources, server.tools.clone());
        self.servers.iter().map(offer).eq(other.servers.iter().map(offer))
    }
}

impl RecordedServer {
    /// Returns the configuration of a server with the same name and approvals. Its command is not a program and
    /// never starts.
    pub(crate) fn configuration(&self) -> ConfiguredServer {
        let entry = |approval: &ApprovalRule| ToolEntry { approval: Some(*approval) };
        let tools = self.approvals.iter().map(|(tool, approval)| (tool.clone(), entry(approval))).collect();
        ConfiguredServer {
            name: self.name.clone(),
            entry: ServerEntry { tools, ..ServerEntry::for_command("recorded", Vec::new()) },
            owner: self.owner,
            refusal: None,
        }
    }
}
