//! The place of runs; state files of one user: bounded reads, atomic writes, a lock between processes.

mod app_store;
pub(crate) mod bounded;
mod json;
mod state_file;

pub(crate) use self::app_store::AppStore;
pub(crate) use self::json::{read_json, write_json};
pub(crate) use self::state_file::{Format, StateFile, change_settings, write_whole};
