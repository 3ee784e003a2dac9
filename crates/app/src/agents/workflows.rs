//! Lookup of workflows: the built-in ones, the user's and the project's.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use windlass_sandbox::{SettingsOwner, read_settings, settings_files};
use windlass_workflow::{Owner, Workflow, Workflows};

use crate::arguments::Offering;
use crate::{complaint, output, policies};

/// Folders of workflow files: one in the user's folder of settings, one in a project.
const USER: &str = "workflows";
const PROJECT: &str = ".windlass/workflows";
/// Feature that offers the project's workflows to the model. It is off by default because a stranger may have
/// written their descriptions.
pub(crate) const PROJECT_FEATURE: &str = "project_workflows";
/// Feature that offers the built-in workflows to the model.
pub(crate) const BUILTIN_FEATURE: &str = "workflows";

/// Loads all workflows for a folder. An invalid file of the user is an error, because the user can correct
/// it; an invalid file of the project is skipped with a warning.
pub(crate) fn load(root: &Path) -> anyhow::Result<Workflows> {
    let mut workflows = Workflows::builtin();
    for file in users().map(|folder| files(&folder, SettingsOwner::User)).transpose()?.unwrap_or_default() {
        insert(&mut workflows, Owner::User, read(&file, SettingsOwner::User)?, &file);
    }
    let owner = SettingsOwner::Project { root };
    let projects = files(&root.join(PROJECT), owner).unwrap_or_else(|error| {
        output::note(&format!("warning: {error:#}; its workflows are left out"));
        Vec::new()
    });
    for file in projects {
        match read(&file, owner) {
            Ok(workflow) => insert(&mut workflows, Owner::Project, workflow, &file),
            Err(error) => output::note(&format!("warning: {}; it is left out", complaint::one_line(&error))),
        }
    }
    Ok(workflows)
}

/// Returns the workflows that are offered to the model.
pub(crate) fn offered(root: &Path, offering: &Offering) -> anyhow::Result<Workflows> {
    let is_told = |owner: Owner| match owner {
        Owner::Builtin => offering.has_feature(BUILTIN_FEATURE),
        Owner::User => true,
        Owner::Project => offering.has_feature(PROJECT_FEATURE),
    };
    let mut told = Workflows::default();
    for (workflow, owner) in load(root)?.iter().filter(|(_, owner)| is_told(*owner)) {
        told.insert(owner, workflow.clone());
    }
    Ok(told)
}

/// Finds a workflow by its name, or reads it from a file if `name` is the path of a `.toml` file.
pub(crate) fn find(root: &Path, name: &str) -> anyhow::Result<Workflow> {
    let workflows = load(root)?;
    if let Some(workflow) = workflows.find(name) {
        return Ok(workflow.clone());
    }
    if Path::new(name).extension().is_some_and(|extension| extension == "toml") {
        return read(Path::new(name), SettingsOwner::User);
    }
    anyhow::bail!("there is no workflow {name:?}; there are: {}", workflows.names())
}

fn users() -> Option<PathBuf> {
    policies::settings().map(|folder| folder.join(USER))
}

fn insert(workflows: &mut Workflows, owner: Owner, workflow: Workflow, file: &Path) {
    let name = workflow.name().to_owned();
    if !workflows.insert(owner, workflow) {
        output::note(&format!(
            "warning: there is a workflow {name} already; that in {} is left out",
            file.display()
        ));
    }
}

/// Returns the TOML files of a folder, sorted by name. A missing folder has none.
fn files(folder: &Path, owner: SettingsOwner<'_>) -> anyhow::Result<Vec<PathBuf>> {
    let files = settings_files(folder, owner, "toml");
    Ok(files.with_context(|| format!("{} cannot be read", folder.display()))?.unwrap_or_default())
}

fn read(file: &Path, owner: SettingsOwner<'_>) -> anyhow::Result<Workflow> {
    let refused = || format!("the workflow in {} is refused", file.display());
    let text = read_settings(file, owner).with_context(refused)?;
    let text = text.context("it is not there").with_context(refused)?;
    Workflow::from_toml(&text).with_context(refused)
}
