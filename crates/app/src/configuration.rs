//! The settings of `config.toml`: defaults of runs, profiles, and the source of each value.

mod change;
mod file;
mod keys;
mod load;
mod project;
mod read;
mod value;

pub use self::change::{change_setting, check_configuration, user_configuration_file};
pub use self::keys::{ConfigKey, ProjectRule};
pub use self::load::{ConfigEntry, ConfigOrigin, Configuration, IgnoredValue};
pub use self::value::{ConfigValue, ValueKind};

pub(crate) use self::file::{check_table, nearest_word};
pub(crate) use self::read::load_key_commands;
