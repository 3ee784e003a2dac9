//! Path arguments of a call. Policy checks them even if other arguments are invalid.

use serde_json::Value;
use windlass_protocol::Payload;
use windlass_tool::EarlyArguments;

/// Returns all paths of a call, or `None` if it has none or one of them is invalid.
pub(crate) fn paths_of(payload: &Payload) -> Option<Vec<&str>> {
    let (Payload::Function { arguments } | Payload::Mcp { arguments, .. }) = payload else { return None };
    let mut paths = Vec::new();
    if let Some(path) = arguments.get("path").filter(|path| !path.is_null()) {
        paths.push(path.as_str()?);
    }
    if let Some(files) = arguments.get("files").filter(|files| !files.is_null()) {
        for file in files.as_array()? {
            paths.push(path_in(file)?);
        }
    }
    (!paths.is_empty()).then_some(paths)
}

/// Returns the paths that have streamed completely.
pub(crate) fn early_paths(complete: &EarlyArguments) -> Vec<&str> {
    let files = complete.get("files").and_then(Value::as_array);
    let files = files.into_iter().flatten().filter_map(path_in);
    complete.text("path").into_iter().chain(files).collect()
}

fn path_in(file: &Value) -> Option<&str> {
    file.get("path")?.as_str()
}
