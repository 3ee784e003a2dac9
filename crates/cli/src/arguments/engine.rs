//! The options of a durable engine.

use std::path::PathBuf;

use clap::Args;

/// Options that select a durable engine, which executes a run on its workers.
#[derive(Clone, Debug, Args)]
pub(crate) struct EngineOptions {
    /// Durable engine: `temporal://HOST:PORT/NAMESPACE`, or `temporals://` for TLS. Workers (`windlass worker`)
    /// execute the run with their own model, tools and policy; this process starts it, shows it and answers its
    /// questions. With --resume, shows a run that has started.
    #[arg(long, value_name = "URL", conflicts_with_all = ["record", "replay", "salvage"])]
    pub(crate) engine: Option<String>,
    #[command(flatten)]
    pub(crate) values: EngineValues,
    /// Task queue of the engine, one for each workspace.
    #[arg(long, value_name = "NAME", default_value = "windlass", requires = "engine")]
    pub(crate) queue: String,
    /// Task queue for requests to the model, if other workers send them.
    #[arg(long, value_name = "NAME", requires = "engine")]
    pub(crate) model_queue: Option<String>,
}

/// Options of a command for runs that a durable engine executes.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct EngineTarget {
    /// The run is one of this durable engine: `temporal://HOST:PORT/NAMESPACE`, or `temporals://` for TLS. Its
    /// workers have to be running.
    #[arg(long, value_name = "URL")]
    pub(crate) engine: Option<String>,
    #[command(flatten)]
    pub(crate) values: EngineValues,
}

/// Options for the values that an engine does not store itself, and for their encryption.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct EngineValues {
    /// Folder for values that are too large for the engine, shared by all workers and clients. The default is a
    /// folder of the user's state.
    #[arg(long = "content", value_name = "FOLDER", requires = "engine")]
    pub(crate) content_folder: Option<PathBuf>,
    /// File with a key of 32 bytes, with which all that the engine stores is encrypted. Workers and clients need
    /// the same key.
    #[arg(long, value_name = "FILE", requires = "engine")]
    pub(crate) key_file: Option<PathBuf>,
}
