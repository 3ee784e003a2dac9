//! The workflows that there are: built in, the user's, the project's.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use windlass_workflow::{Owner, Workflow, Workflows};

use crate::arguments::Offering;
use crate::{output, policies};

/// Folders of files, in the user's folder of settings and in a project.
const USER: &str = "workflows";
const PROJECT: &str = ".windlass/workflows";
/// The feature by which a model is told of the project's: what they say of themselves may be a stranger's.
const PROJECT_FEATURE: &str = "project_workflows";
/// The feature by which a model is told of those that are built in.
const BUILTIN_FEATURE: &str = "workflows";

/// All workflows for a folder. A user's file that cannot be taken is an error, for its author is there to mend it; a
/// project's is left out, and said.
pub(crate) fn load(root: &Path) -> anyhow::Result<Workflows> {
    let mut workflows = Workflows::builtin();
    for file in files(&users()) {
        insert(&mut workflows, Owner::User, read(&file)?, &file);
    }
    for file in files(&root.join(PROJECT)) {
        match read(&file) {
            Ok(workflow) => insert(&mut workflows, Owner::Project, workflow, &file),
            Err(error) => output::note(&format!("warning: {error:#}; it is left out")),
        }
    }
    Ok(workflows)
}

/// Those that a model is told of.
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

/// A workflow by its name, or by its file.
pub(crate) fn find(root: &Path, name: &str) -> anyhow::Result<Workflow> {
    let workflows = load(root)?;
    if let Some(workflow) = workflows.find(name) {
        return Ok(workflow.clone());
    }
    if Path::new(name).extension().is_some_and(|extension| extension == "toml") {
        return read(Path::new(name));
    }
    anyhow::bail!("there is no workflow {name:?}; there are: {}", workflows.names())
}

fn users() -> PathBuf {
    policies::settings().map(|folder| folder.join(USER)).unwrap_or_default()
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

/// The files of a folder, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect();
    files.sort();
    files
}

fn read(file: &Path) -> anyhow::Result<Workflow> {
    let refused = || format!("the workflow in {} is refused", file.display());
    let text = fs::read_to_string(file).with_context(refused)?;
    Workflow::from_toml(&text).with_context(refused)
}
