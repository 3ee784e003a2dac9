//! What an agent is: its name, what it is for, what it is told, and what it is given of its caller's rights.

use windlass_tools_control::{Document, DocumentError};

/// The longest name: with what stands before it, it has to fit into a tool's.
const MAX_NAME: usize = 48;
const MAX_DESCRIPTION: usize = 1_000;
/// The keys that a file may have.
const KEYS: [&str; 8] = ["name", "description", "tools", "model", "mode", "read-only", "agents", "max-turns"];

/// What an agent is. It is described in code or in a Markdown file with front matter.
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
    /// Patterns of tools; nothing for all that the caller has.
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) model: Option<String>,
    pub(crate) mode: Option<String>,
    pub(crate) is_read_only: bool,
    pub(crate) may_delegate: bool,
    pub(crate) turns: Option<u32>,
}

/// Why a text describes no agent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// It cannot be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A key that nobody knows.
    #[error("its front matter has the key `{key}`; those that are known are: {}", KEYS.join(", "))]
    UnknownKey {
        /// The key.
        key: String,
    },
    /// A value that its key does not take.
    #[error("its `{key}` {problem}")]
    Value {
        /// The key.
        key: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// Its name is none for a tool.
    #[error("its name {name:?} is none: 1 to {MAX_NAME} lower-case letters, digits, _ and - are wanted")]
    Name {
        /// The name.
        name: String,
    },
    /// Two agents have one name.
    #[error("there are two agents with the name {name}")]
    Twice {
        /// The name.
        name: String,
    },
}

impl AgentDefinition {
    /// An agent that is told this, with all tools of its caller but those that hand work on.
    ///
    /// # Errors
    /// If the name is none for a tool.
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
        Ok(Self::unchecked(name, description.into(), prompt.into()))
    }

    /// The same without a look at the name, for names that are no part of a tool's.
    pub(crate) fn unchecked(name: String, description: String, prompt: String) -> Self {
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

    /// The same with no tools but these, as far as the caller has them: names in the registry, or the beginning of names
    /// and a `*`.
    pub fn with_tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// The same on a model of this name.
    pub fn with_model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// The same in a mode, by its slug. What the caller's mode does not give it has not.
    pub fn with_mode(mut self, slug: impl Into<String>) -> Self {
        self.mode = Some(slug.into());
        self
    }

    /// The same, which only reads: whatever else it calls is denied.
    pub fn read_only(mut self) -> Self {
        self.is_read_only = true;
        self
    }

    /// The same, which may hand work on itself.
    pub fn delegating(mut self) -> Self {
        self.may_delegate = true;
        self
    }

    /// The same with this many answers.
    pub fn with_turns(mut self, turns: u32) -> Self {
        self.turns = Some(turns);
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is for.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// What it is told.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Reads the text of a Markdown file: `name` and `description`, and where wanted `tools` (in one line, with commas, or `[]` for none),
    /// `model`, `mode`, `read-only`, `agents` (whether it may hand work on) and `max-turns`; what stands behind the front
    /// matter it is told.
    ///
    /// # Errors
    /// Which key is wrong, and how.
    pub fn parse(text: &str) -> Result<Self, DefinitionError> {
        let document = Document::parse(text)?;
        if let Some(key) = document.keys().find(|key| !KEYS.contains(key)) {
            return Err(DefinitionError::UnknownKey { key: key.chars().take(64).collect() });
        }
        let needed = |key| document.words(key, MAX_DESCRIPTION)?.ok_or(DocumentError::Missing { key });
        let prompt = document.body().trim();
        if prompt.is_empty() {
            let problem = "is missing: what the agent is told stands behind the front matter".to_owned();
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
            let problem = || format!("is no number from 1: {turns}");
            let wrong = || DefinitionError::Value { key: "max-turns", problem: problem() };
            definition.turns = Some(parsed.ok_or_else(wrong)?);
        }
        Ok(definition)
    }
}

/// The words of a key; an error for a key with a value of another form, because leaving the key out means something else.
fn word(document: &Document<'_>, key: &'static str, max: usize) -> Result<Option<String>, DefinitionError> {
    let words = document.words(key, max)?;
    if words.is_none() && document.has(key) {
        let problem = "has no words: write its value in one line, or leave the key out".to_owned();
        return Err(DefinitionError::Value { key, problem });
    }
    Ok(words)
}

/// A list that nobody can read must not become one without end: no `tools` at all gives all of them.
fn patterns(words: &str) -> Result<Vec<String>, DefinitionError> {
    let fails = |problem: String| Err(DefinitionError::Value { key: "tools", problem });
    let names = words.split([',', ' ']).map(str::trim).filter(|name| !name.is_empty());
    let names: Vec<String> = names.map(str::to_owned).collect();
    if names.is_empty() {
        return fails("names none: write them in one line, with commas; write [] for none, or leave the key out for all".to_owned());
    }
    for name in &names {
        let beginning = name.strip_suffix('*').unwrap_or(name);
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if !beginning.chars().all(is_name) {
            return fails(format!("has {name:?}, which is no tool's name nor the beginning of one and a *"));
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
            let problem = format!("is {:?}; yes or no is wanted", other.unwrap_or_default());
            Err(DefinitionError::Value { key, problem })
        }
    }
}
