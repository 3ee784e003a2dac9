//! The options of the endpoint that ranks the results of `search_code`.

use clap::Args;

/// Options of an embeddings endpoint. Without one, search results are ranked by words only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct Embeddings {
    /// Embeddings endpoint that ranks the results of `codebase_search`, such as `http://localhost:11434/v1`.
    /// Each search sends the query and passages of the workspace to it, with known secrets removed; the
    /// policy asks first unless a rule allows the host. `WINDLASS_EMBEDDINGS_KEY` can contain its API key.
    #[arg(
        long = "embeddings",
        id = "embeddings_url",
        value_name = "URL",
        env = "WINDLASS_EMBEDDINGS_URL",
        requires = "embeddings_model",
        hide_env_values = true
    )]
    pub(crate) url: Option<String>,
    /// Embeddings model.
    #[arg(
        long = "embeddings-model",
        value_name = "MODEL",
        env = "WINDLASS_EMBEDDINGS_MODEL",
        requires = "embeddings_url",
        id = "embeddings_model",
        hide_env_values = true
    )]
    pub(crate) model: Option<String>,
    /// Number of dimensions to request, for models with shortened vectors.
    #[arg(long = "embeddings-dimensions", value_name = "N", requires = "embeddings_url")]
    pub(crate) dimensions: Option<usize>,
}
