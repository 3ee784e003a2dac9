//! The user's slash commands and skills as prompts for MCP clients.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use windlass_mcp_server::{HostError, Prompt, PromptArgument, PromptFuture, PromptHost, PromptMessage};
use windlass_redact::Redactor;
use windlass_tools_skills::{PromptError, PromptSummary, Skills, SlashCommands};

use super::ServeOptions;
use crate::app::App;
use crate::assembly::{load_commands, load_skills};
use crate::config::resolve_root;
use crate::error::Result as AppResult;
use crate::secrets::collect_folder_secrets;

/// The argument of a command's prompt, with the text for `$ARGUMENTS`.
const ARGUMENTS: &str = "arguments";

/// The prompts of a folder: slash commands and skills of the user and of the folder, from the files that a run
/// reads. A skill with the name of a command is left out. Clients list prompts for their human, who chooses one; a
/// prompt is a text of the user's files, and runs nothing.
pub struct ServedPrompts {
    commands: SlashCommands,
    skills: Skills,
    prompts: Vec<Prompt>,
    redactor: Redactor,
}

impl ServedPrompts {
    /// Loads the prompts of a folder. The files are read again when a client fills a prompt in.
    ///
    /// # Errors
    ///
    /// Fails if the folder does not exist.
    pub fn load(app: &App, root: &Path, options: &ServeOptions) -> AppResult<Self> {
        let root = resolve_root(root)?;
        let commands = load_commands(app, &root);
        let skills = load_skills(app, &root, &options.selection);
        let mut names = BTreeSet::new();
        let mut prompts = Vec::new();
        for summary in commands.summaries() {
            names.insert(summary.name.clone());
            let argument = PromptArgument::new(ARGUMENTS);
            let argument = match &summary.hint {
                Some(hint) => argument.with_description(hint),
                None => argument,
            };
            prompts.push(prompt(summary).with_argument(argument));
        }
        for summary in skills.summaries() {
            if names.contains(&summary.name) {
                app.warn(format!(
                    "the skill {0} is not a prompt, because a command is called {0}",
                    summary.name
                ));
            } else {
                prompts.push(prompt(summary));
            }
        }
        Ok(Self { commands, skills, prompts, redactor: Redactor::new(collect_folder_secrets(&root)) })
    }

    /// Returns true if no prompt was found.
    pub fn is_empty(&self) -> bool {
        self.prompts.is_empty()
    }

    fn text(&self, name: &str, arguments: &str) -> Result<String, HostError> {
        let text = match self.commands.expand(name, arguments) {
            Err(PromptError::Unknown { .. }) => self.skills.instructions(name),
            text => text,
        };
        let text = text.map_err(|error| match error {
            PromptError::Unreadable { .. } => HostError::Failed(error.to_string()),
            _ => HostError::Invalid(error.to_string()),
        })?;
        Ok(self.redactor.redact(&text).into_owned())
    }
}

/// Creates a prompt. Its description names the folder, because a project's files may be a stranger's.
fn prompt(summary: PromptSummary) -> Prompt {
    let folder = format!("(folder: {})", summary.folder);
    let description = match summary.description {
        Some(description) => format!("{description} {folder}"),
        None => folder,
    };
    Prompt::new(summary.name).with_description(description)
}

impl PromptHost for ServedPrompts {
    fn prompts(&self) -> Vec<Prompt> {
        self.prompts.clone()
    }

    fn fill(self: Arc<Self>, name: String, arguments: BTreeMap<String, String>) -> PromptFuture {
        Box::pin(async move {
            let arguments = arguments.get(ARGUMENTS).cloned().unwrap_or_default();
            let text = tokio::task::spawn_blocking(move || self.text(&name, &arguments)).await;
            let text = text.map_err(|_| HostError::Failed("the file could not be read".to_owned()))??;
            Ok(vec![PromptMessage::user(text)])
        })
    }
}

impl std::fmt::Debug for ServedPrompts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServedPrompts").field("prompts", &self.prompts).finish_non_exhaustive()
    }
}
