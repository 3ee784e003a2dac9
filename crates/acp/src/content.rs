//! Blocks of a prompt as the text of a task.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::rpc::RpcError;

/// Largest number of blocks of a prompt.
const MAX_BLOCKS: usize = 1_000;

/// Block of a prompt.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Block {
    Text {
        text: String,
    },
    ResourceLink {
        uri: String,
    },
    Resource {
        resource: Resource,
    },
    #[serde(other)]
    Other,
}

/// Content that the client embeds.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Resource {
    Text { uri: String, text: String },
    Blob { uri: String },
}

/// Returns the task of a prompt. Embedded texts follow the words of the person, each with its address.
///
/// # Errors
///
/// Fails for pictures, sound and binary data: a task of a run is text.
pub(crate) fn to_task(blocks: &[Block]) -> Result<String, RpcError> {
    if blocks.len() > MAX_BLOCKS {
        return Err(RpcError::invalid_params(format!("a prompt has at most {MAX_BLOCKS} blocks")));
    }
    let (mut task, mut files) = (String::new(), String::new());
    for block in blocks {
        match block {
            Block::Text { text } => task.push_str(text),
            Block::ResourceLink { uri } => {
                let _ = write!(task, "[{}]", path_of(uri));
            }
            Block::Resource { resource: Resource::Text { uri, text } } => {
                let fence = fence_for(text);
                let _ = write!(files, "\n\nContent of {}:\n{fence}\n{text}\n{fence}", path_of(uri));
            }
            Block::Resource { resource: Resource::Blob { uri } } => {
                return Err(RpcError::invalid_params(format!("{uri} is binary, and a prompt has only text")));
            }
            Block::Other => {
                let text =
                    "a prompt has text, links and embedded texts; pictures and sound are not supported";
                return Err(RpcError::invalid_params(text));
            }
        }
    }
    task.push_str(&files);
    if task.trim().is_empty() {
        return Err(RpcError::invalid_params("the prompt is empty"));
    }
    Ok(task)
}

/// Returns the path of a file's address, and any other address as it is.
fn path_of(uri: &str) -> &str {
    uri.strip_prefix("file://").unwrap_or(uri)
}

/// Returns a code fence that is longer than every one in the text.
fn fence_for(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.saturating_add(1).max(3))
}

#[cfg(test)]
mod tests;
