//! The conversation of a run in the content store: a chain of nodes, each with the messages of one request
//! that were not in the request before.

use serde::{Deserialize, Serialize};
use temporalio_common::data_converters::PayloadConversionError;
use windlass_protocol::{History, Message};

use crate::codec::{RunCodec, to_conversion_error};
use crate::{ContentHash, ContentStore};

/// The messages that a request added to the conversation of an earlier request.
#[derive(Debug, Serialize, Deserialize)]
struct Node {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base: Option<ContentHash>,
    messages: Vec<Message>,
}

/// Stores the messages that follow `base`, and returns the hash and the messages of the whole conversation.
/// Repeating it has no further effect.
pub(crate) async fn extend(
    content: &dyn ContentStore,
    codec: &RunCodec,
    base: Option<ContentHash>,
    messages: Vec<Message>,
) -> Result<(ContentHash, History), PayloadConversionError> {
    let mut nodes = Vec::new();
    let mut next = base.clone();
    while let Some(hash) = next.take() {
        let stored = content.get(hash).await.map_err(to_conversion_error)?;
        let node: Node = serde_json::from_slice(&codec.open(&stored)?).map_err(to_conversion_error)?;
        next.clone_from(&node.base);
        nodes.push(node.messages);
    }
    let node = Node { base, messages };
    let bytes = serde_json::to_vec(&node).map_err(to_conversion_error)?;
    let hash = content.put(codec.seal(bytes)?).await.map_err(to_conversion_error)?;
    let mut history = History::new();
    for message in nodes.into_iter().rev().flatten().chain(node.messages) {
        history.push(message);
    }
    Ok((hash, history))
}
