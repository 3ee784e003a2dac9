//! Errors of requests in the protocol's form.

use rmcp::model::{ErrorData, PaginatedRequestParams};

use crate::HostError;

/// Refuses a cursor: each list has one page.
pub(crate) fn check_page(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor.as_ref()) {
        Some(_) => Err(ErrorData::invalid_params("the list has one page", None)),
        None => Ok(()),
    }
}

/// Maximum length of a resource's URI in a request, in bytes.
const URI_BYTES: usize = 8 * 1024;

/// Refuses a URI that is too long.
pub(crate) fn check_uri(uri: &str) -> Result<(), ErrorData> {
    if uri.len() > URI_BYTES {
        return Err(ErrorData::invalid_params(format!("a URI has at most {URI_BYTES} bytes"), None));
    }
    Ok(())
}

pub(crate) fn host_error(error: &HostError) -> ErrorData {
    match error {
        HostError::NotFound | HostError::Invalid(_) => ErrorData::invalid_params(error.to_string(), None),
        HostError::Failed(_) => internal_error(error),
    }
}

pub(crate) fn unknown_tool(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("unknown tool {name:?}; tools/list returns the known tools"), None)
}

pub(crate) fn unknown_prompt(name: &str) -> ErrorData {
    ErrorData::invalid_params(
        format!("unknown prompt {name:?}; prompts/list returns the known prompts"),
        None,
    )
}

pub(crate) fn internal_error(error: &dyn std::error::Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
