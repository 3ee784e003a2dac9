//! Blocks of a prompt as a task.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use windlass_app::{Task, one_line};

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
    #[serde(rename_all = "camelCase")]
    Image {
        data: String,
        mime_type: String,
    },
    #[serde(other)]
    Other,
}

/// Content that the client embeds.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Resource {
    Text { uri: String, text: String },
    Blob { uri: String, blob: String },
}

/// Returns the task of a prompt. Embedded texts follow the person's own text, each with its address; pictures and
/// binary files are parts of the task. Blocks: pictures are decoded.
///
/// # Errors
///
/// Fails for sound, for files that a task cannot have, and without words.
pub(crate) fn to_task(blocks: &[Block]) -> Result<Task, RpcError> {
    if blocks.len() > MAX_BLOCKS {
        return Err(RpcError::invalid_params(format!("a prompt has at most {MAX_BLOCKS} blocks")));
    }
    let (mut task, mut files) = (String::new(), String::new());
    let mut attached = Vec::new();
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
            Block::Resource { resource: Resource::Blob { uri, blob } } => {
                let name = path_of(uri).rsplit('/').next().unwrap_or_default();
                attached.push((blob, name.to_owned()));
            }
            Block::Image { data, mime_type } => {
                let kind = mime_type.rsplit('/').next().unwrap_or_default();
                attached.push((data, format!("picture.{kind}")));
            }
            Block::Other => {
                let text = "a prompt has text, links, embedded files and pictures; sound is not supported";
                return Err(RpcError::invalid_params(text));
            }
        }
    }
    task.push_str(&files);
    if task.trim().is_empty() {
        return Err(RpcError::invalid_params("the prompt is empty: it has no words"));
    }
    attached.into_iter().try_fold(Task::new(task), |task, (data, name)| {
        let bytes = BASE64_STANDARD.decode(data);
        let bytes = bytes.map_err(|error| RpcError::invalid_params(format!("{name}: {error}")))?;
        task.attach_bytes(bytes, &name).map_err(|error| RpcError::invalid_params(one_line(&error)))
    })
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
