//! `OperationTools`: the tools of a document's operations.

use std::fmt;
use std::sync::Arc;

use secrecy::SecretString;
use windlass_redact::Redactor;
use windlass_tool::Tool;

use crate::{OpenApi, OperationToolsBuilder};

/// The tools of a document's operations.
///
/// ```
/// use windlass_tools_openapi::{OpenApi, OperationTools};
/// let api = OpenApi::parse(br##"{
///     "openapi": "3.0.3",
///     "info": {"title": "Pets", "version": "1"},
///     "servers": [{"url": "https://pets.example/v1"}],
///     "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "x-key"}}},
///     "security": [{"key": []}],
///     "paths": {"/pets": {
///         "get": {"operationId": "listPets", "summary": "Lists the pets."},
///         "post": {"operationId": "addPet", "requestBody": {"content": {"application/json": {}}}}
///     }}
/// }"##)?;
/// let tools = OperationTools::builder(&api).credential("key", "k-0123456789").build()?;
/// let names: Vec<_> = tools.tools().iter().map(|tool| tool.spec().name().to_string()).collect();
/// assert_eq!(names, ["listPets"]);
/// assert_eq!(tools.redactor().redact("x-key: k-0123456789"), "x-key: [redacted]");
/// let error = OperationTools::builder(&api).build().unwrap_err().to_string();
/// assert!(error.ends_with("it needs a credential for the security scheme `key`"));
/// # Ok::<(), windlass_tools_openapi::OpenApiError>(())
/// ```
#[derive(Clone)]
pub struct OperationTools {
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) refused: Vec<RefusedOperation>,
    pub(crate) secrets: Vec<SecretString>,
}

/// A selected operation that did not become a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedOperation {
    /// The method, the path and the id.
    pub operation: String,
    /// The reason.
    pub reason: String,
}

impl OperationTools {
    /// Returns a builder for the operations of a document.
    pub fn builder(api: &OpenApi) -> OperationToolsBuilder<'_> {
        OperationToolsBuilder::new(api)
    }

    /// Returns the tools, for `Toolbox::builder().tools(..)`.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.clone()
    }

    /// Returns the selected operations that did not become tools. Empty unless the builder's
    /// [`skip_refused`](OperationToolsBuilder::skip_refused) is set.
    pub fn refusals(&self) -> &[RefusedOperation] {
        &self.refused
    }

    /// Returns the credentials that the operations use, for the redactor of the agent. The tools redact the
    /// credentials of each request from their own outputs, also those that change later.
    pub fn secrets(&self) -> impl Iterator<Item = &SecretString> {
        self.secrets.iter()
    }

    /// Returns a redactor with [`Self::secrets`], for the agent's builder.
    pub fn redactor(&self) -> Redactor {
        Redactor::new(self.secrets.iter().cloned())
    }
}

impl fmt::Debug for OperationTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.tools.iter().map(|tool| tool.spec().name().as_str()).collect();
        f.debug_struct("OperationTools")
            .field("tools", &names)
            .field("refused", &self.refused)
            .finish_non_exhaustive()
    }
}
