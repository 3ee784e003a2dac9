//! The lookup of the tool that a model names.

use windlass_protocol::{Hints, ToolName};

use super::Config;
use crate::KnownTool;

impl Config {
    /// Returns the hints of the tool that the name selects, or the default hints if no tool matches.
    pub(crate) fn hints(&self, name: &str) -> Hints {
        self.find_tool(name).map_or_else(Hints::default, |(_, hints)| hints)
    }

    /// Returns the registered name of the tool that the name selects, or the name itself if no tool matches.
    pub(crate) fn tool_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.find_tool(name).map_or(name, |(name, _)| name)
    }

    /// Returns the name under which calls of the tool count for the budget: the budget's own name for the
    /// tool, or the registered name.
    pub(crate) fn counted_as(&self, name: &str) -> String {
        let tool = self.tool_name(name);
        let limits = self.budget.calls.keys().chain(self.shared_budget.calls.keys());
        let mut named = limits.filter(|key| key.as_str() == name || self.tool_name(key) == tool);
        named.next().map_or_else(|| tool.to_owned(), Clone::clone)
    }

    /// Finds a tool in the same order as the registry: by an exact name, then by a loose form that only one
    /// tool has.
    fn find_tool(&self, name: &str) -> Option<(&str, Hints)> {
        let plain = name.strip_prefix("functions.").unwrap_or(name);
        if self.known_tools.is_empty() {
            return self.find_offered(plain);
        }
        let find =
            |is_meant: &dyn Fn(&KnownTool) -> bool| self.known_tools.iter().find(|tool| is_meant(tool));
        let found = find(&|tool| tool.exact.iter().any(|exact| exact == name))
            .or_else(|| find(&|tool| tool.exact.iter().any(|exact| exact == plain)));
        let form = found.is_none().then(|| ToolName::loose_form(plain));
        let found =
            found.or_else(|| find(&|tool| tool.loose.iter().any(|loose| Some(loose) == form.as_ref())));
        found.map(|tool| (tool.name.as_str(), tool.hints))
    }

    /// Finds a tool among the offered tools, for a configuration without known tools.
    fn find_offered(&self, plain: &str) -> Option<(&str, Hints)> {
        let form = ToolName::loose_form(plain);
        let mut tools = self.tools.iter();
        let found = tools.find(|tool| tool.spec.name().as_str() == plain);
        let similar =
            || self.tools.iter().find(|tool| ToolName::loose_form(tool.spec.name().as_str()) == form);
        found.or_else(similar).map(|tool| (tool.spec.name().as_str(), tool.hints))
    }
}
