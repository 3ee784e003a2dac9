//! Definitions of agents: name, description, prompt, and the part of the caller's rights that the agent gets.

use windlass_tools_skills::{Document, DocumentError};

/// The maximum length of a name in bytes, so that `sub_agent_NAME` is a legal tool name.
const MAX_NAME: usize = 48;
const MAX_DESCRIPTION: usize = 1_000;
/// The keys that the front matter may contain.
const KEYS: [&str; 8] = ["name", "description", "tools", "model", "mode", "read-only", "agents", "max-turns"];

/// The definition of an agent, written in code or as a Markdown file with front matter.
///
/// By default the agent has all tools of its caller except the tools that start agents, the caller's model
/// and the caller's mode. The `with_` methods and the keys of the file restrict or change that.
///
/// ```
/// use windlass_subagent::AgentDefinition;
/// let text = "---\nname: tester\ndescription: Runs the tests and says what fails.\ntools: run_command, read_file\n\
///     max-turns: 12\n---\nRun the tests. Change nothing.\n";
/// let tester = AgentDefinition::parse(text)?;
/// assert_eq!(tester.name(), "tester");
/// assert_eq!(tester.prompt(), "Run the tests. Change nothing.");
/// # Ok::<(), windlass_subagent::DefinitionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentDefinition {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) prompt: String,
    /// Patterns of tool names; `None` for all tools of the caller.
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) model: Option<String>,
    pub(crate) mode: Option<String>,
    pub(crate) is_read_only: bool,
    pub(crate) may_delegate: bool,
    pub(crate) turns: Option<u32>,
}

/// The reason why a definition is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// The front matter cannot be parsed.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The front matter contains an unknown key.
    #[error("its front matter has the unknown key `{key}`; the known keys are: {}", KEYS.join(", "))]
    UnknownKey {
        /// The key.
        key: String,
    },
    /// The value of a key is invalid.
    #[error("its `{key}` {problem}")]
    Value {
        /// The key.
        key: &'static str,
        /// The description of the problem.
        problem: String,
    },
    /// The name cannot be a part of a tool name.
    #[error("its name {name:?} is not valid: use 1 to {MAX_NAME} lower-case letters, digits, _ and -")]
    Name {
        /// The rejected name.
        name: String,
    },
    /// Two agents have the same name.
    #[error("there are two agents with the name {name}")]
    Twice {
        /// The name.
        name: String,
    },
}

impl AgentDefinition {
    /// Creates a definition with this system prompt. The agent gets all tools of its caller except the tools
    /// that start agents.
    ///
    /// # Errors
    /// Returns [`DefinitionError::Name`] unless the name has 1 to 48 lower-case letters, digits, `_` and `-`.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        prompt: impl Into<String>,
    ) -> Result<Self, DefinitionError> {
        let name = name.into();
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
        if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_word) {
            return Err(DefinitionError::Name { name });
        }
        Ok(Self::new_unchecked(name, description.into(), prompt.into()))
    }

    /// Like [`new`](Self::new), but does not check the name. Only for names that do not become a part of a
    /// tool name.
    pub(crate) fn new_unchecked(name: String, description: String, prompt: String) -> Self {
        Self {
            name,
            description,
            prompt,
            tools: None,
            model: None,
            mode: None,
            is_read_only: false,
            may_delegate: false,
            turns: None,
        }
    }

    /// Restricts the tools to those with these registered names. A pattern that ends with `*` matches all
    /// names with that prefix. Tools that the caller does not have are not added. Tools that start agents are
    /// not affected: [`with_delegation`](Self::with_delegation) decides about them.
    pub fn with_tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the model by its name in the [`ModelSource`](crate::ModelSource).
    pub fn with_model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// Sets the work mode by its slug. The restrictions of the caller's mode still apply.
    pub fn with_mode(mut self, slug: impl Into<String>) -> Self {
        self.mode = Some(slug.into());
        self
    }

    /// Restricts the agent to calls that only read; all other calls are denied.
    pub fn read_only(mut self) -> Self {
        self.is_read_only = true;
        self
    }

    /// Lets the agent start agents of its own.
    pub fn with_delegation(mut self) -> Self {
        self.may_delegate = true;
        self
    }

    /// Sets the maximum number of answers. [`AgentLimits::turns`](crate::AgentLimits::turns) is the upper
    /// bound, and 0 means that bound.
    pub fn with_turns(mut self, turns: u32) -> Self {
        self.turns = Some(turns);
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description that the calling model reads.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the system prompt.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Returns the patterns of the tool names; `None` for all tools of the caller.
    pub fn tools(&self) -> Option<&[String]> {
        self.tools.as_deref()
    }

    /// Returns the name of the model; `None` for the model of the caller.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Returns the slug of the work mode; `None` for the mode of the caller.
    pub fn mode(&self) -> Option<&str> {
        self.mode.as_deref()
    }

    /// Returns true if every call that does more than reading is denied.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Returns true if the agent may start agents of its own.
    pub fn may_delegate(&self) -> bool {
        self.may_delegate
    }

    /// Returns the maximum number of answers; `None` for the default.
    pub fn turns(&self) -> Option<u32> {
        self.turns
    }

    /// Parses a Markdown file. The front matter must contain `name` and `description`. Optional keys are
    /// `tools` (one line with commas, or `[]` for none), `model`, `mode`, `read-only`, `agents` (`yes` lets
    /// the agent start agents) and `max-turns`. The text after the front matter is the system prompt.
    ///
    /// # Errors
    /// Returns an error that names the invalid key and the problem.
    pub fn parse(text: &str) -> Result<Self, DefinitionError> {
        let document = Document::parse(text)?;
        if let Some(key) = document.keys().find(|key| !KEYS.contains(key)) {
            return Err(DefinitionError::UnknownKey { key: key.chars().take(64).collect() });
        }
        let needed = |key| document.words(key, MAX_DESCRIPTION)?.ok_or(DocumentError::Missing { key });
        let prompt = document.body().trim();
        if prompt.is_empty() {
            let problem = "is missing: the agent's instructions follow the front matter".to_owned();
            return Err(DefinitionError::Value { key: "text", problem });
        }
        let mut definition = Self::new(needed("name")?, needed("description")?, prompt)?;
        if document.has_empty_list("tools") {
            definition.tools = Some(Vec::new());
        } else if document.has("tools") {
            let tools = document.words("tools", 4_000)?.unwrap_or_default();
            definition.tools = Some(patterns(&tools)?);
        }
        definition.model = word(&document, "model", 200)?;
        definition.mode = word(&document, "mode", 100)?;
        definition.is_read_only = flag(&document, "read-only")?;
        definition.may_delegate = flag(&document, "agents")?;
        if let Some(turns) = word(&document, "max-turns", 20)? {
            let parsed = turns.parse().ok().filter(|turns| *turns > 0);
            let problem = || format!("is not a positive number: {turns}");
            let wrong = || DefinitionError::Value { key: "max-turns", problem: problem() };
            definition.turns = Some(parsed.ok_or_else(wrong)?);
        }
        Ok(definition)
    }
}

/// Returns the value of a key. A value in another form is an error, because a missing key has a meaning of
/// its own.
fn word(document: &Document<'_>, key: &'static str, max: usize) -> Result<Option<String>, DefinitionError> {
    let words = document.words(key, max)?;
    if words.is_none() && document.has(key) {
        let problem = "is empty: write its value in one line, or leave the key out".to_owned();
        return Err(DefinitionError::Value { key, problem });
    }
    Ok(words)
}

/// Parses tool patterns. An unreadable list is an error, because a missing list would mean all tools.
fn patterns(words: &str) -> Result<Vec<String>, DefinitionError> {
    let fails = |problem: String| Err(DefinitionError::Value { key: "tools", problem });
    let names = words.split([',', ' ']).map(str::trim).filter(|name| !name.is_empty());
    let names: Vec<String> = names.map(str::to_owned).collect();
    if names.is_empty() {
        return fails(
            "is empty: write the names in one line, with commas; write [] for none, or leave the \
             key out for all"
                .to_owned(),
        );
    }
    for name in &names {
        let beginning = name.strip_suffix('*').unwrap_or(name);
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if !beginning.chars().all(is_name) {
            return fails(format!("has {name:?}, which is neither a tool name nor a prefix with a *"));
        }
    }
    Ok(names)
}

fn flag(document: &Document<'_>, key: &'static str) -> Result<bool, DefinitionError> {
    match document.words(key, 20)?.as_deref() {
        Some("true" | "yes") => Ok(true),
        None if !document.has(key) => Ok(false),
        Some("false" | "no") => Ok(false),
        other => {
            let problem = format!("is {:?}; expected yes or no", other.unwrap_or_default());
            Err(DefinitionError::Value { key, problem })
        }
    }
}
