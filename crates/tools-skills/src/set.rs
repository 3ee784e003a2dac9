//! The set of this crate's tools.

use std::sync::Arc;

use windlass_tool::Tool;

use crate::{RunSlashCommand, SkillTool, Skills, SlashCommands};

/// Returns `skill` if there is a skill, and `run_slash_command` if there is a command.
///
/// ```
/// use windlass_tools_skills::{Skills, SlashCommands, tools};
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("review.md"), "Review the change on $1.")?;
/// let commands = SlashCommands::default().with_folder("user", folder.path());
/// let tools = tools(&Skills::default(), &commands);
/// assert_eq!(tools.len(), 1);
/// assert_eq!(tools[0].spec().name().as_str(), "run_slash_command");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn tools(skills: &Skills, commands: &SlashCommands) -> Vec<Arc<dyn Tool>> {
    let mut all: Vec<Arc<dyn Tool>> = Vec::new();
    if !skills.is_empty() {
        all.push(Arc::new(SkillTool::new(skills.clone())));
    }
    if !commands.is_empty() {
        all.push(Arc::new(RunSlashCommand::new(commands.clone())));
    }
    all
}
