//! Who orders what `codebase_search` finds.

use clap::Args;

/// An endpoint for embeddings; without one the order is that of words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct Embeddings {
    /// Let an endpoint for embeddings, as `http://localhost:11434/v1`, order what `codebase_search` finds. Each search
    /// sends the query and passages of the workspace there, without known secrets, and policy asks before it does unless
    /// a rule allows that host. The key for it is that of `WINDLASS_EMBEDDINGS_KEY`, if there is one.
    #[arg(
        long = "embeddings",
        id = "embeddings_url",
        value_name = "URL",
        env = "WINDLASS_EMBEDDINGS_URL",
        requires = "embeddings_model",
        hide_env_values = true
    )]
    pub(crate) url: Option<String>,
    /// The model that the endpoint is asked for.
    #[arg(
        long = "embeddings-model",
        value_name = "MODEL",
        env = "WINDLASS_EMBEDDINGS_MODEL",
        requires = "embeddings_url",
        id = "embeddings_model",
        hide_env_values = true
    )]
    pub(crate) model: Option<String>,
    /// Ask for vectors of so many numbers, where the model can give shorter ones.
    #[arg(long = "embeddings-dimensions", value_name = "N", requires = "embeddings_url")]
    pub(crate) dimensions: Option<usize>,
}
