//! Lookup of workflows: the built-in ones, the user's and the project's.

use std::path::{Path, PathBuf};

use windlass_sandbox::{SettingsOwner, read_settings, settings_files};
use windlass_workflow::{Owner, Workflow, Workflows};

use super::{PROJECT_WORKFLOWS_FEATURE, WORKFLOWS_FEATURE};
use crate::app::App;
use crate::config::ToolSelection;
use crate::error::{Context as _, Result, bail, one_line};

/// Folders of workflow files: one in the user's folder of settings, one in a project.
const USER: &str = "workflows";
const PROJECT: &str = ".windlass/workflows";

/// Loads all workflows for a folder. An invalid file of the user is an error, because the user can correct
/// it; an invalid file of the project is skipped with a warning.
///
/// # Errors
///
/// Fails if a file of the user is invalid.
pub fn load_workflows(app: &App, root: &Path) -> Result<Workflows> {
    let mut workflows = Workflows::builtin();
    let users = app.settings_file(USER).map(|folder| files(&folder, SettingsOwner::User));
    for file in users.transpose()?.unwrap_or_default() {
        insert(app, &mut workflows, Owner::User, read(&file, SettingsOwner::User)?, &file);
    }
    let owner = SettingsOwner::Project { root };
    let projects = files(&root.join(PROJECT), owner).unwrap_or_else(|error| {
        app.warn(format!("{}; its workflows are left out", one_line(&error)));
        Vec::new()
    });
    for file in projects {
        match read(&file, owner) {
            Ok(workflow) => insert(app, &mut workflows, Owner::Project, workflow, &file),
            Err(error) => app.warn(format!("{}; it is left out", one_line(&error))),
        }
    }
    Ok(workflows)
}

/// Loads the workflows that are offered to the model.
pub(crate) fn load_offered(app: &App, root: &Path, offering: &ToolSelection) -> Result<Workflows> {
    let is_offered = |owner: Owner| match owner {
        Owner::Builtin => offering.has_feature(WORKFLOWS_FEATURE),
        Owner::User => true,
        Owner::Project => offering.has_feature(PROJECT_WORKFLOWS_FEATURE),
    };
    let mut offered = Workflows::default();
    for (workflow, owner) in load_workflows(app, root)?.iter().filter(|(_, owner)| is_offered(*owner)) {
        offered.insert(owner, workflow.clone());
    }
    Ok(offered)
}

/// Finds a workflow by its name, or reads it from a file if `name` is the path of a `.toml` file.
///
/// # Errors
///
/// Fails if the workflow does not exist, or if a file is invalid.
pub fn find_workflow(app: &App, root: &Path, name: &str) -> Result<Workflow> {
    let workflows = load_workflows(app, root)?;
    if let Some(workflow) = workflows.find(name) {
        return Ok(workflow.clone());
    }
    if Path::new(name).extension().is_some_and(|extension| extension == "toml") {
        return read(Path::new(name), SettingsOwner::User);
    }
    bail!(NotFound, "unknown workflow {name:?}; known workflows: {}", workflows.names())
}

fn insert(app: &App, workflows: &mut Workflows, owner: Owner, workflow: Workflow, file: &Path) {
    let name = workflow.name().to_owned();
    if !workflows.insert(owner, workflow) {
        app.warn(format!(
            "the workflow {name} is already defined; the definition in {} is left \
             out",
            file.display()
        ));
    }
}

/// Returns the TOML files of a folder, sorted by name. The list is empty if the folder is missing.
fn files(folder: &Path, owner: SettingsOwner<'_>) -> Result<Vec<PathBuf>> {
    let files = settings_files(folder, owner, "toml");
    Ok(files.with_context(|| format!("{} cannot be read", folder.display()))?.unwrap_or_default())
}

fn read(file: &Path, owner: SettingsOwner<'_>) -> Result<Workflow> {
    let refused = || format!("the workflow in {} is refused", file.display());
    let text = read_settings(file, owner).with_context(refused)?;
    let text = text.context("it does not exist").with_context(refused)?;
    Workflow::from_toml(&text).with_context(refused)
}
