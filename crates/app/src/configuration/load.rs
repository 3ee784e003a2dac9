//! The combination of all sources of settings.

use std::path::{Path, PathBuf};

use serde::Serialize;
use windlass_sandbox::{SettingsOwner, read_settings};

use super::file::{ConfigFile, Values, find_profile};
use super::keys::ConfigKey;
use super::project::decide_value;
use super::read::{USER_FILE, check_size, read_users};
use super::value::ConfigValue;
use crate::app::App;
use crate::config::variable;
use crate::error::{Context as _, Result, one_line};
use crate::trust::TrustedFolders;

/// File of the project's settings, below its root.
const PROJECT_FILE: &str = ".windlass/config.toml";

/// Source of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "source", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ConfigOrigin {
    /// The program.
    Default,
    /// The user's file.
    User {
        /// Path of the file.
        file: PathBuf,
    },
    /// A profile in the user's file.
    Profile {
        /// Name of the profile.
        name: String,
        /// Path of the file.
        file: PathBuf,
    },
    /// The project's file.
    Project {
        /// Path of the file.
        file: PathBuf,
    },
    /// An environment variable.
    Environment {
        /// Name of the variable.
        variable: String,
    },
}

/// A value of a project's file that does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct IgnoredValue {
    /// The value.
    pub value: ConfigValue,
    /// Path of the file.
    pub file: PathBuf,
    /// Reason, for people.
    pub reason: &'static str,
}

/// A setting with its value and the source of the value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigEntry {
    /// The setting.
    pub key: &'static ConfigKey,
    /// The value. `None` if no source sets it and it has no default.
    pub value: Option<ConfigValue>,
    /// Source of the value.
    pub origin: ConfigOrigin,
    /// The project's value, if it does not count.
    pub ignored: Option<IgnoredValue>,
}

impl ConfigEntry {
    /// Returns true if a file or the environment sets the value.
    pub fn is_set(&self) -> bool {
        self.origin != ConfigOrigin::Default
    }
}

/// The settings of a user in one folder, with the source of each value.
///
/// The environment takes precedence over a profile that the caller names, then follow the project's file (as far as
/// [`ProjectRule`](super::ProjectRule) permits), the profile that the user's file chooses, and the user's file. Options
/// of a command take precedence over all of them.
///
/// ```
/// use windlass_app::configuration::{ConfigOrigin, Configuration};
/// use windlass_app::{App, Folders};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("config.toml"), "[profiles.fast]\nmodel = \"small-1\"\n")?;
/// let app = App::new(Folders::new(folder.path(), folder.path().join("state")));
///
/// let configuration = Configuration::load(&app, folder.path(), Some("fast"))?;
/// assert_eq!(configuration.text("model"), Some("small-1"));
/// assert!(matches!(configuration.find("model").unwrap().origin, ConfigOrigin::Profile { .. }));
/// assert_eq!(configuration.text("preset"), Some("standard"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Configuration {
    entries: Vec<ConfigEntry>,
    profile: Option<String>,
}

/// Values with their sources, the weakest first.
struct Layer {
    origin: Box<dyn Fn(&ConfigKey) -> ConfigOrigin>,
    values: Values,
    is_project: bool,
}

impl Configuration {
    /// Loads the settings for a folder. A named profile must exist. An invalid file of the project is left out with a
    /// warning.
    ///
    /// # Errors
    ///
    /// Fails if the user's file or a variable is invalid, or if the profile does not exist.
    pub fn load(app: &App, root: &Path, profile: Option<&str>) -> Result<Self> {
        let users_path = app.settings_file(USER_FILE);
        let users = match &users_path {
            Some(file) => read_users(file)?,
            None => ConfigFile::default(),
        };
        let project_path = root.join(PROJECT_FILE);
        let projects = read_projects(app, &project_path, root);
        let named = profile.map(str::to_owned).or_else(|| variable("WINDLASS_PROFILE"));
        let chosen = users.values.get("profile").and_then(ConfigValue::as_text).map(str::to_owned);
        let name = named.clone().or(chosen);
        let users_path = users_path.unwrap_or_default();
        let of_profile = match &name {
            Some(name) => Some(profile_layer(&users, name, &users_path)?),
            None => None,
        };
        let (of_named, of_chosen) = if named.is_some() { (of_profile, None) } else { (None, of_profile) };
        let layers = [
            Some(Layer::new(users.values, move |_| ConfigOrigin::User { file: users_path.clone() })),
            of_chosen,
            Some(Layer {
                is_project: true,
                ..Layer::new(projects.values, move |_| ConfigOrigin::Project { file: project_path.clone() })
            }),
            of_named,
            Some(environment()?),
        ];
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        // The list of trusted folders is read only if it matters.
        let needs_trust = layers.iter().flatten().any(|layer| layer.is_project && !layer.values.is_empty());
        let is_trusted = needs_trust && TrustedFolders::load(app).covers(&root);
        let combined = ConfigKey::all().iter().map(|key| combine(key, layers.iter().flatten(), is_trusted));
        let combined: Vec<(ConfigEntry, usize)> = combined.collect::<Result<_>>()?;
        Ok(Self { entries: separate_addresses(combined), profile: name })
    }

    /// Warns about each value of the project's file that does not count.
    pub fn report_ignored(&self, app: &App) {
        for ConfigEntry { key, ignored, .. } in &self.entries {
            if let Some(IgnoredValue { file, reason, .. }) = ignored {
                app.warn(format!("`{}` of {} does not count: {reason}", key.name, file.display()));
            }
        }
    }

    /// Returns all settings in the order of [`ConfigKey::all`].
    pub fn entries(&self) -> &[ConfigEntry] {
        &self.entries
    }

    /// Returns the name of the profile in use.
    pub fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    /// Returns the setting of a name.
    pub fn find(&self, name: &str) -> Option<&ConfigEntry> {
        let key = ConfigKey::find(name)?;
        self.entries.iter().find(|entry| entry.key.name == key.name)
    }

    /// Returns the value of a text setting.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.find(name)?.value.as_ref()?.as_text()
    }

    /// Returns the value of a truth setting; `false` if it has no value.
    pub fn is_enabled(&self, name: &str) -> bool {
        self.find(name).and_then(|entry| entry.value.as_ref()?.as_bool()).unwrap_or(false)
    }

    /// Returns the texts of a list setting.
    pub fn list(&self, name: &str) -> &[String] {
        self.find(name).and_then(|entry| entry.value.as_ref()).map_or(&[], ConfigValue::as_list)
    }
}

impl Layer {
    fn new(values: Values, origin: impl Fn(&ConfigKey) -> ConfigOrigin + 'static) -> Self {
        Self { origin: Box::new(origin), values, is_project: false }
    }
}

fn profile_layer(users: &ConfigFile, name: &str, file: &Path) -> Result<Layer> {
    let values = find_profile(&users.profiles, name)?.clone();
    let (name, file) = (name.to_owned(), file.to_owned());
    Ok(Layer::new(values, move |_| ConfigOrigin::Profile { name: name.clone(), file: file.clone() }))
}

/// Removes an address and a wire format that a weaker source than that of the provider sets: they belong to another
/// provider, and would receive the key of this one.
fn separate_addresses(combined: Vec<(ConfigEntry, usize)>) -> Vec<ConfigEntry> {
    let provider = combined.iter().find(|(entry, _)| entry.key.name == "provider");
    let layer = provider.map_or(0, |(_, layer)| *layer);
    let separate = |(mut entry, of): (ConfigEntry, usize)| {
        if ["base_url", "wire"].contains(&entry.key.name) && of < layer {
            (entry.value, entry.origin) = (None, ConfigOrigin::Default);
        }
        entry
    };
    combined.into_iter().map(separate).collect()
}

/// Returns the value that counts, which is that of the last layer which sets one, with the number of the layer.
fn combine<'a>(
    key: &'static ConfigKey,
    layers: impl Iterator<Item = &'a Layer>,
    is_trusted: bool,
) -> Result<(ConfigEntry, usize)> {
    let default = key.default.map(|words| key.kind.parse(words)).transpose()?;
    let mut entry = ConfigEntry { key, value: default, origin: ConfigOrigin::Default, ignored: None };
    let mut strongest = 0;
    for (number, layer) in (1..).zip(layers) {
        let Some(value) = layer.values.get(key.name) else { continue };
        let origin = (layer.origin)(key);
        if !layer.is_project {
            (entry.value, entry.origin, strongest) = (Some(value.clone()), origin, number);
            continue;
        }
        match decide_value(key, value, entry.value.as_ref(), is_trusted) {
            Ok(value) => (entry.value, entry.origin, strongest) = (Some(value), origin, number),
            Err(reason) => {
                let ConfigOrigin::Project { file } = origin else { continue };
                entry.ignored = Some(IgnoredValue { value: value.clone(), file, reason });
            }
        }
    }
    Ok((entry, strongest))
}

/// Reads the values of the environment.
fn environment() -> Result<Layer> {
    let mut values = Values::new();
    for key in ConfigKey::all() {
        let Some((name, words)) = key.variable().and_then(|name| Some((name.clone(), variable(name)?)))
        else {
            continue;
        };
        values.insert(key.name, key.kind.parse(&words).with_context(|| format!("the variable {name}"))?);
    }
    Ok(Layer::new(values, |key| ConfigOrigin::Environment { variable: key.variable().unwrap_or_default() }))
}

fn read_projects(app: &App, file: &Path, root: &Path) -> ConfigFile {
    let read = || {
        let Some(text) = read_settings(file, SettingsOwner::Project { root })? else {
            return Ok(ConfigFile::default());
        };
        check_size(&text)?;
        ConfigFile::parse(&text)
    };
    let read: Result<ConfigFile> = read();
    read.with_context(|| format!("{} is refused", file.display())).unwrap_or_else(|error| {
        app.warn(format!("{}; it is left out", one_line(&error)));
        ConfigFile::default()
    })
}
