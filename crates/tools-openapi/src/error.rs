//! Errors of parsing a document and of building its tools.

use crate::{Method, RootError, UrlRefusal};

/// Error of parsing a document or of building the tools of its operations.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenApiError {
    /// The document is too long.
    #[error("the document has {bytes} bytes, and {limit} is the most")]
    TooLong {
        /// Length of the document in bytes.
        bytes: usize,
        /// Maximum length in bytes.
        limit: usize,
    },
    /// The document is neither JSON nor YAML that is supported.
    #[error("the document cannot be read as {format}: {message}")]
    Syntax {
        /// `JSON` or `YAML`.
        format: &'static str,
        /// Message of the parser, with the line.
        message: String,
    },
    /// The document is Swagger 2.0.
    #[error("the document is Swagger 2.0, which is not supported; convert it to OpenAPI 3.0 or 3.1")]
    Swagger,
    /// The document is not OpenAPI, or has another version.
    #[error("the document has the OpenAPI version {version:?}, and only 3.0 and 3.1 are supported")]
    Version {
        /// The version, at most 40 characters of it; empty if the document has none.
        version: String,
    },
    /// A part of the document is invalid or not supported.
    #[error("{place}: {problem}")]
    Document {
        /// Position in the document.
        place: String,
        /// The problem.
        problem: String,
    },
    /// A selected operation cannot become a tool.
    #[error("the operation {operation} cannot become a tool: {reason}")]
    Refused {
        /// Method, path and id of the operation.
        operation: String,
        /// The reason.
        reason: String,
    },
    /// The document has no operation with an id that the program selected.
    #[error("the document has no operation with the id {id:?}")]
    UnknownOperation {
        /// The id.
        id: String,
    },
    /// An operation was selected by its id, but its method was not.
    #[error(
        "the operation {id:?} uses {method}, which is not selected; select the method, or all that write \
         with `writes(true)`"
    )]
    UnselectedMethod {
        /// The id.
        id: String,
        /// The method.
        method: Method,
    },
    /// No operation is selected.
    #[error(
        "no operation is selected; the document has {total}, and only GET and HEAD are selected by default"
    )]
    NoOperation {
        /// Number of operations of the document.
        total: usize,
    },
    /// Too many operations are selected.
    #[error(
        "{selected} operations are selected, and {limit} is the most; select fewer with `operations`, `tag`, \
         `path` or `methods`, or raise `max_operations`"
    )]
    TooManyOperations {
        /// Number of selected operations.
        selected: usize,
        /// Maximum number.
        limit: usize,
    },
    /// The base URL is missing, invalid, or not safe for credentials.
    #[error("the base URL cannot be used: {problem}")]
    BaseUrl {
        /// The problem.
        problem: String,
    },
    /// A host that the program allowed is invalid.
    #[error(transparent)]
    Host(#[from] UrlRefusal),
    /// A root certificate that the program supplied cannot be used.
    #[error(transparent)]
    Root(#[from] RootError),
}

impl OpenApiError {
    pub(crate) fn document(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Document { place: place.into(), problem: problem.into() }
    }
}
