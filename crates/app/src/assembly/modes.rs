//! Modes of work: the built-in ones, the user's and the project's.

use std::path::Path;

use windlass_sandbox::{SettingsOwner, read_settings};
use windlass_toolbox::{ModeOwner, WorkMode, WorkModes};

use crate::app::App;
use crate::config::Autonomy;
use crate::error::{Context as _, Remedy, Result, Setting, one_line};

/// Files of modes: the user's in the folder of settings, the project's below its root.
const USER_MODES: &str = "modes.toml";
const PROJECT_MODES: &str = ".windlass/modes.toml";

/// Loads all modes for a folder. An invalid file of the project, which a stranger may have written, is skipped
/// with a warning.
///
/// # Errors
///
/// Fails if the user's file is invalid, because the user can correct it.
pub fn load_modes(app: &App, root: &Path) -> Result<WorkModes> {
    let mut modes = WorkModes::builtin();
    if let Some(file) = app.settings_file(USER_MODES) {
        modes = add_file(app, modes, &file, SettingsOwner::User)?;
    }
    match add_file(app, modes.clone(), &root.join(PROJECT_MODES), SettingsOwner::Project { root }) {
        Ok(with) => Ok(with),
        Err(error) => {
            app.warn(format!("{}; its modes are left out", one_line(&error)));
            Ok(modes)
        }
    }
}

/// Finds a mode by its slug.
///
/// # Errors
///
/// Fails if the mode does not exist.
pub fn find_mode<'a>(modes: &'a WorkModes, slug: &str) -> Result<&'a WorkMode> {
    let found = modes.find(slug).map(AsRef::as_ref);
    // Users confuse modes of work with levels of autonomy, so the error for such a name
    // suggests to set the autonomy.
    if is_autonomy(slug) {
        return found
            .with_context(|| format!("{slug} is a level of autonomy and not a mode"))
            .map_err(|error| error.with_remedy(Remedy::Set(Setting::Autonomy(slug.to_owned()))));
    }
    Ok(found?)
}

/// Returns whether a word is the name of a level of autonomy, in any case.
fn is_autonomy(word: &str) -> bool {
    Autonomy::NAMES.iter().any(|name| name.eq_ignore_ascii_case(word))
}

/// Adds the modes of a file, if it exists. Warns of each invalid pattern that has no effect, because a later entry
/// of the same group replaces it.
fn add_file(app: &App, modes: WorkModes, file: &Path, owner: SettingsOwner<'_>) -> Result<WorkModes> {
    let refused = || format!("the modes in {} are refused", file.display());
    let Some(text) = read_settings(file, owner).with_context(refused)? else { return Ok(modes) };
    let owner = if owner == SettingsOwner::User { ModeOwner::User } else { ModeOwner::Project };
    let known = modes.replaced_errors().len();
    let modes = modes.with_file(&text, owner).with_context(refused)?;
    for error in modes.replaced_errors().iter().skip(known) {
        let error = one_line(error);
        app.warn(format!("{}: {error}; a later entry of the group replaces this one", file.display()));
    }
    Ok(modes)
}
