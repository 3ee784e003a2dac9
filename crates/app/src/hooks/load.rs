//! The hooks that count in a folder.

use std::path::{Path, PathBuf};

use windlass_sandbox::{SettingsOwner, read_settings};

use super::definition::{HookDefinition, HookOwner, parse};
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::{Context as _, Result, one_line};
use crate::policies::check_owner;
use crate::trust::{FileChange, ProjectFile, ProjectFileKind, TrustedFolders, find_top, list_project_files};

/// File of the user's hooks in the folder of settings.
const USER_HOOKS: &str = "hooks.json";

/// File of Claude Code's settings in the home folder, which is read if the user enables it.
const CLAUDE_SETTINGS: &str = ".claude/settings.json";

/// The hooks of a folder, with the messages about the others.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct HookList {
    /// Hooks in the order in which their verdicts are combined: the user's first.
    pub hooks: Vec<HookDefinition>,
    /// Entries that this program does not support, each with its file.
    pub unsupported: Vec<String>,
    /// Reason why the hooks of the project do not run, with the folder to trust. `None` if they run or do not exist.
    pub refusal: Option<(String, PathBuf)>,
}

/// Loads the hooks of the user and of the project in a folder. A project's hooks count only if the user trusts the
/// folder, and only with the files that were trusted. An invalid file of the project is left out with a warning.
///
/// # Errors
///
/// Fails if a file of the user is invalid.
pub fn load_hooks(app: &App, root: &Path, configuration: &Configuration) -> Result<HookList> {
    let mut list = HookList::default();
    let claude = configuration.is_enabled("hooks.claude_settings").then(|| {
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        home.map(|home| home.join(CLAUDE_SETTINGS))
    });
    for file in app.settings_file(USER_HOOKS).into_iter().chain(claude.flatten()) {
        let refused = || format!("{} is refused", file.display());
        let Some(text) = read_settings(&file, SettingsOwner::User).with_context(refused)? else { continue };
        check_owner(&file).with_context(refused)?;
        list.add(&text, HookOwner::User, &file).with_context(refused)?;
    }
    list.add_project(app, root);
    Ok(list)
}

impl HookList {
    fn add(&mut self, text: &str, owner: HookOwner, file: &Path) -> Result<()> {
        let parsed = parse(text, owner, file)?;
        let place = |what: String| format!("{}: {what} is not supported", file.display());
        self.unsupported.extend(parsed.unsupported.into_iter().map(place));
        self.hooks.extend(parsed.hooks);
        Ok(())
    }

    fn add_project(&mut self, app: &App, root: &Path) {
        let top = find_top(root);
        let files = list_project_files(top);
        let mut found = Self::default();
        for file in files.iter().filter(|file| file.kind == ProjectFileKind::Hooks) {
            let text = read_settings(&file.path, SettingsOwner::Project { root: top });
            let added = match text {
                Ok(Some(text)) => found.add(&text, HookOwner::Project, &file.path),
                _ => Ok(()),
            };
            if let Err(error) = added {
                app.warn(format!("{}: {}; its hooks are left out", file.path.display(), one_line(&error)));
            }
        }
        if found.hooks.is_empty() {
            return;
        }
        let trusted = TrustedFolders::load(app);
        let changed = |file: &&ProjectFile| {
            file.kind != ProjectFileKind::Instructions && trusted.change_of(file).is_some()
        };
        let refusal = if trusted.covers(top) {
            files.iter().find(changed).map(|file| {
                let change = match trusted.change_of(file) {
                    Some(FileChange::New) => "is new since you trusted the folder",
                    _ => "has changed since you trusted the folder",
                };
                format!("{} {change}", file.path.display())
            })
        } else {
            Some("the folder is not trusted".to_owned())
        };
        match refusal {
            None => {
                self.hooks.extend(found.hooks);
                self.unsupported.extend(found.unsupported);
            }
            Some(why) => {
                let count = found.hooks.len();
                let text = format!("{count} hooks of {} do not run: {why}", top.display());
                self.refusal = Some((text, top.to_owned()));
            }
        }
    }

    /// Reports the entries that do not run.
    pub fn report(&self, app: &App) {
        for unsupported in &self.unsupported {
            app.warn(unsupported.clone());
        }
        if let Some((text, folder)) = &self.refusal {
            app.notices().report_untrusted(text.clone(), folder);
        }
    }
}
