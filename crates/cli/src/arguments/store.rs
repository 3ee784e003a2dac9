//! The option for the store of runs.

use clap::Args;
use windlass_app::App;
use windlass_store::StoreUrl;

/// The store of runs.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct StoreOption {
    /// Where runs are kept: a folder, `sqlite:///FILE`, or `postgres://USER@HOST/DATABASE`. The default is the
    /// state folder. A password belongs in PGPASSWORD or ~/.pgpass: other users can see arguments.
    #[arg(long, value_name = "URL", env = "WINDLASS_STORE", hide_env_values = true)]
    pub(crate) store: Option<StoreUrl>,
}

impl StoreOption {
    /// Returns the handle with this store.
    pub(crate) fn open(&self, app: &App) -> anyhow::Result<App> {
        Ok(match &self.store {
            Some(url) => app.clone().with_store(url)?,
            None => app.clone(),
        })
    }

    /// Returns the option as a part of a command that continues a run, or an empty text. Leaves out user,
    /// password and options of an address.
    pub(crate) fn describe(&self) -> String {
        self.store.as_ref().map_or_else(String::new, |url| format!(" --store {url}"))
    }
}
