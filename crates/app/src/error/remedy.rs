//! Remedies of errors, as data: each front end words them for its own controls.

/// Step by which a person can resolve an error.
///
/// The text of an error says what is wrong and names no control of a front end. A command line turns a remedy
/// into an option, an editor into a button, a server into a field of its response.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Set or correct a setting.
    Set(Setting),
    /// Consent to the call.
    Consent,
    /// Repeat the request with the permission to replace what exists.
    Replace,
    /// Resume the run with this id, which is an agent run and not a workflow.
    ResumeRun(String),
    /// Continue the session with this id by a new run, because its newest run is completed.
    ContinueSession(String),
    /// Resume the run with this id as a workflow.
    ResumeWorkflow(String),
}

/// Setting of a request that a front end receives from a person.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Setting {
    /// The name of the model.
    Model,
    /// The provider, by its name or its address.
    Provider,
    /// The models that are used if the first one fails.
    Fallbacks,
    /// The address of the endpoint for embeddings.
    EmbeddingsUrl,
    /// The model of the endpoint for embeddings.
    EmbeddingsModel,
    /// The autonomy, which was given this level in place of a mode of work.
    Autonomy(String),
    /// The folder by which another program answers approval requests.
    ApprovalFolder,
    /// The MCP server, by its command or its address.
    McpServer,
}
