//! Stand-in for builds without the features `index` and `web`.

use windlass_hitl::Policy;

use crate::config::EmbeddingOptions;
use crate::error::{Result, ensure};

/// Returns the policy unchanged. Fails if an endpoint is named, because this build cannot use it.
pub(crate) fn add_reachable(options: &EmbeddingOptions, policy: Policy) -> Result<Policy> {
    ensure!(
        options.url.is_none(),
        MissingFeature,
        "embeddings need a build with the features `index` and `web`"
    );
    Ok(policy)
}
