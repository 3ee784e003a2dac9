//! The models of an upstream, for the lists of the gateway.

use std::time::Duration;

use windlass_client::{Client, ModelEntry};
use windlass_gateway::CatalogModel;

use crate::output;

/// Time for the provider's list of models at the start.
const LIST_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the models of the provider. Without an answer in time the list is empty, because the gateway works without it.
pub(super) async fn list_models(client: &Client, owner: &str) -> Vec<CatalogModel> {
    let problem = match tokio::time::timeout(LIST_TIMEOUT, client.list_models()).await {
        Ok(Ok(models)) => {
            let entry = |model: ModelEntry| {
                CatalogModel::new(model.id, owner).with_limits(model.context_tokens, model.output_tokens)
            };
            return models.into_iter().map(entry).collect();
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer within {} s", LIST_TIMEOUT.as_secs()),
    };
    output::note(&format!("the lists of models are empty: {problem}"));
    Vec::new()
}
