//! Conversions of the errors of other crates, each with the kind that it mostly has here.

use std::io;

use windlass_store::StoreError;

use super::causes::toml_text;
use super::{AppError, ErrorKind};

macro_rules! convert {
    ($($kind:ident: $($error:ty),+;)+) => {$($(
        impl From<$error> for AppError {
            fn from(error: $error) -> Self {
                Self::foreign(ErrorKind::$kind, error)
            }
        }
    )+)+};
}

convert! {
    Invalid:
        serde_json::Error,
        toml::ser::Error,
        toml_edit::TomlError,
        windlass_attachments::AttachmentError,
        windlass_client::ClientError,
        windlass_client::HttpError,
        windlass_client::VendorsError,
        windlass_hitl::ApprovalHistoryError,
        windlass_hitl::PolicyError,
        windlass_loop::ResumeError,
        windlass_protocol::IdError,
        windlass_text_calls::UnknownDialect,
        windlass_toolbox::BuildError,
        windlass_toolbox::DynamicToolError,
        windlass_toolbox::ModeError,
        windlass_tools_dynamic::LoadError;
    NotFound:
        windlass_toolbox::UnknownMode;
    Unavailable:
        io::Error,
        windlass_agent::AgentError,
        windlass_agent::ApprovalFolderError,
        windlass_cassette::CassetteError,
        windlass_checkpoint::CheckpointError,
        windlass_client::TransportError,
        windlass_journal::JournalError,
        windlass_sandbox::WorkspaceError,
        windlass_tool::ToolError;
}

#[cfg(feature = "index")]
convert! {
    Invalid:
        windlass_tools_index::IndexError;
}

#[cfg(feature = "mcp")]
convert! {
    Invalid:
        windlass_mcp::AcceptedError,
        windlass_mcp::AddressError,
        windlass_mcp::ServerIdError;
    Unavailable:
        windlass_mcp::ConnectionsError;
}

#[cfg(feature = "subagent")]
convert! {
    Invalid:
        windlass_subagent::DefinitionError;
}

#[cfg(feature = "web")]
convert! {
    Invalid:
        windlass_tools_web::UrlRefusal;
}

#[cfg(feature = "workflow")]
convert! {
    Invalid:
        windlass_workflow::WorkflowError;
    Unavailable:
        windlass_workflow::RunError;
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        let kind = match &error {
            StoreError::NotFound { .. } => ErrorKind::NotFound,
            StoreError::Exists { .. } | StoreError::Busy { .. } | StoreError::LeaseLost { .. } => {
                ErrorKind::Conflict
            }
            StoreError::Name { .. } | StoreError::Address { .. } => ErrorKind::Invalid,
            StoreError::MissingFeature { .. } => ErrorKind::MissingFeature,
            _ => ErrorKind::Unavailable,
        };
        Self::foreign(kind, error)
    }
}

impl From<toml::de::Error> for AppError {
    /// Keeps the position and the message. The error's own text quotes the line of the file.
    fn from(error: toml::de::Error) -> Self {
        Self::new(ErrorKind::Invalid, toml_text(&error))
    }
}
