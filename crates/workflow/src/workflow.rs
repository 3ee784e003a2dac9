//! A validated workflow: every reference exists, and the dependencies are acyclic.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::plan::{Kind, Plan};
use crate::{Definition, RunError, WorkflowError, check};

/// A validated workflow, ready to run. Cloning it is cheap.
///
/// [`Workflow::new`] validates a [`Definition`] from code, [`Workflow::from_toml`] one from a file. A
/// [`Runner`](crate::Runner) executes it.
#[derive(Clone, Debug)]
pub struct Workflow {
    definition: Arc<Definition>,
    pub(crate) plan: Arc<Plan>,
}

/// Maximum length of a file, in bytes. Parsing takes about a hundred times that memory.
const MAX_BYTES: usize = 256 * 1024;
/// Default number of concurrent calls.
const CALLS_AT_ONCE: usize = 8;
/// Maximum number of concurrent calls; a higher setting is taken for a mistake and clamped.
const MOST_AT_ONCE: usize = 64;

impl Workflow {
    /// Validates a definition.
    ///
    /// # Errors
    /// A name, a kind, a path or a condition is invalid, a step or an input that is referred to does not
    /// exist, or steps depend on each other in a cycle.
    pub fn new(definition: Definition) -> Result<Self, WorkflowError> {
        let nodes = check::nodes(&definition)?;
        let output = check::output(&definition)?;
        let at_once = definition.at_once.unwrap_or(CALLS_AT_ONCE).clamp(1, MOST_AT_ONCE);
        Ok(Self { definition: Arc::new(definition), plan: Arc::new(Plan { nodes, output, at_once }) })
    }

    /// Parses and validates a TOML file of at most 256 KiB. An unknown key is an error with its line.
    ///
    /// ```
    /// let text = r#"
    ///     name = "greet"
    ///     description = "Says hello."
    ///     [input.name]
    ///     description = "Whom to greet."
    ///     [[step]]
    ///     name = "hello"
    ///     tool = "run_command"
    ///     arguments = { argv = ["echo", "hello {{ input.name }}"] }
    /// "#;
    /// let workflow = windlass_workflow::Workflow::from_toml(text)?;
    /// assert_eq!(workflow.definition().steps.len(), 1);
    /// # Ok::<(), windlass_workflow::WorkflowError>(())
    /// ```
    ///
    /// # Errors
    /// The text is not a valid workflow; see [`new`](Self::new).
    pub fn from_toml(text: &str) -> Result<Self, WorkflowError> {
        if text.len() > MAX_BYTES {
            let (what, count) = ("bytes", text.len());
            return Err(WorkflowError::TooMany { what, count, most: MAX_BYTES });
        }
        let definition = toml::from_str(text).map_err(|error| WorkflowError::Toml(Box::new(error)))?;
        Self::new(definition)
    }

    /// Returns the name that runs refer to.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Returns the declaration of the workflow.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns the names of the tools that the steps call, inner steps included. A step with `agent` calls
    /// `sub_agent_NAME`.
    ///
    /// ```
    /// use windlass_workflow::{Definition, StepDefinition, Workflow};
    /// let definition = Definition::new("survey", "Looks into a folder.")
    ///     .with_step(StepDefinition::tool("look", "list_files"))
    ///     .with_step(StepDefinition::agent("report", "code_explorer", "Describe: {{ steps.look.output }}"));
    /// let workflow = Workflow::new(definition)?;
    /// assert!(workflow.tool_names().into_iter().eq(["list_files", "sub_agent_code_explorer"]));
    /// # Ok::<(), windlass_workflow::WorkflowError>(())
    /// ```
    pub fn tool_names(&self) -> BTreeSet<&str> {
        let mut tools = BTreeSet::new();
        let mut levels = vec![self.plan.nodes.as_slice()];
        while let Some(nodes) = levels.pop() {
            for node in nodes {
                match &node.kind {
                    Kind::Call { tool, .. } => drop(tools.insert(tool.as_str())),
                    Kind::Group(group) => levels.push(&group.nodes),
                    Kind::Condition { .. } => {}
                }
            }
        }
        tools
    }

    /// Completes the inputs with the declared defaults.
    ///
    /// # Errors
    /// A required input is missing, or the workflow does not declare an input.
    pub fn complete(&self, mut input: Map<String, Value>) -> Result<Map<String, Value>, RunError> {
        let declared = &self.definition.input;
        let names = || declared.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        if let Some(unknown) = input.keys().find(|name| !declared.contains_key(*name)) {
            let problem = format!("the workflow {} has no input {unknown}; it has: {}", self.name(), names());
            return Err(RunError::Input { problem });
        }
        for (name, definition) in declared {
            if input.contains_key(name) {
                continue;
            }
            let Some(default) = &definition.default else {
                let problem = format!(
                    "the workflow {} needs the input {name}: {}",
                    self.name(),
                    definition.description
                );
                return Err(RunError::Input { problem });
            };
            input.insert(name.clone(), default.clone());
        }
        Ok(input)
    }
}
