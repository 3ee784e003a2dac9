//! The tool that a model means by a name, which need not be the name that it was shown (RULES N1, N3, N4).

use serde::{Deserialize, Serialize};
use windlass_protocol::{Hints, ToolName};

use crate::Config;

/// A tool of the run, offered or hidden, with the names that lead to it.
///
/// The names come from where calls are looked up (`windlass_toolbox::Toolbox::known`), so that the machine takes a call for
/// the tool that will run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KnownTool {
    /// The name in the registry, which is the same whatever a model wrote.
    pub name: String,
    /// What the tool says about itself.
    pub hints: Hints,
    /// The names that lead to the tool as they stand: the shown name and aliases.
    pub exact: Vec<String>,
    /// The forms ([`ToolName::loose_form`]) of names that lead to this tool and to no other.
    pub loose: Vec<String>,
}

impl KnownTool {
    /// A tool that only its own name leads to.
    pub fn new(name: impl Into<String>, hints: Hints) -> Self {
        let name = name.into();
        Self { exact: vec![name.clone()], loose: Vec::new(), name, hints }
    }

    /// The same tool with these names.
    pub fn with_names(mut self, exact: Vec<String>, loose: Vec<String>) -> Self {
        (self.exact, self.loose) = (exact, loose);
        self
    }
}

impl Config {
    /// The hints of the tool that a model means by a name; the default hints if there is no such tool.
    pub(crate) fn hints(&self, name: &str) -> Hints {
        self.find_tool(name).map_or_else(Hints::default, |(_, hints)| hints)
    }

    /// The registered name of the tool that a model means by a name; the name itself if there is no such tool.
    pub(crate) fn tool_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.find_tool(name).map_or(name, |(name, _)| name)
    }

    /// The name under which calls of a tool count for the budget: as the budget names the tool, if it does.
    pub(crate) fn counted_as(&self, name: &str) -> String {
        let tool = self.tool_name(name);
        let limits = self.budget.calls.keys().chain(self.shared_budget.calls.keys());
        let mut named = limits.filter(|key| key.as_str() == name || self.tool_name(key) == tool);
        named.next().map_or_else(|| tool.to_owned(), Clone::clone)
    }

    /// Finds a tool as calls are looked up: an exact name first, then a form that only one tool has.
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

    /// Finds a tool where only the tools on offer are known.
    fn find_offered(&self, plain: &str) -> Option<(&str, Hints)> {
        let form = ToolName::loose_form(plain);
        let mut tools = self.tools.iter();
        let found = tools.find(|tool| tool.spec.name().as_str() == plain);
        let similar =
            || self.tools.iter().find(|tool| ToolName::loose_form(tool.spec.name().as_str()) == form);
        found.or_else(similar).map(|tool| (tool.spec.name().as_str(), tool.hints))
    }
}
