//! Errors of a tool.

use std::error::Error;
use std::fmt;

use windlass_protocol::ErrorText;

/// The error of a tool call. The variant decides who has to act on it: the model, another process, or the
/// application.
///
/// The model can correct most errors, so [`ToolError::model`] is the usual constructor. `?` in a function of
/// `#[tool]` makes an error for the model from any error.
///
/// ```
/// use windlass_tool::{Output, ToolError};
///
/// fn find(orders: &[&str], number: usize) -> Result<Output, ToolError> {
///     let order = orders.get(number).ok_or_else(|| {
///         ToolError::model(format!("there is no order {number}")).with_advice("Call list_orders first.")
///     })?;
///     Ok(Output::text(*order))
/// }
/// assert_eq!(find(&["tea"], 7).unwrap_err().to_string(), "there is no order 7");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ToolError {
    /// The model has to act. The text has two parts: the problem, which people see, too, and the next step for
    /// the model.
    Model(ErrorText),
    /// The result arrives later from outside of this call, for example from a job queue or a webhook. The run
    /// waits for the result, if necessary across process restarts (see `RunOptions::with_results` of
    /// `windlass-agent`).
    Deferred,
    /// Neither the model nor the user can act. The run ends.
    Fatal(Box<dyn Error + Send + Sync>),
}

impl ToolError {
    /// Creates an error for the model from the description of a problem. The next step belongs into
    /// [`with_advice`](Self::with_advice), because people see the problem.
    pub fn model(problem: impl Into<ErrorText>) -> Self {
        Self::Model(problem.into())
    }

    /// Appends the next step for the model, as a sentence. Errors that are not for the model are unchanged.
    ///
    /// ```
    /// use windlass_tool::ToolError;
    ///
    /// let error = ToolError::model("`a.txt` is a folder").with_advice("Name a file in it.");
    /// assert_eq!(error.to_string(), "`a.txt` is a folder");
    /// # let ToolError::Model(text) = error else { unreachable!() };
    /// assert_eq!(text.wire_text(), "`a.txt` is a folder\nName a file in it.");
    /// ```
    pub fn with_advice(self, advice: impl Into<String>) -> Self {
        match self {
            Self::Model(text) => Self::Model(text.with_advice(advice)),
            other => other,
        }
    }

    /// Creates an error for the model from any error: its text and the texts of its sources, joined with `: `.
    /// A `ToolError` in the box is returned as it is, so that a fatal error stays fatal.
    ///
    /// ```
    /// use windlass_tool::ToolError;
    ///
    /// fn parse_port(text: &str) -> Result<u16, ToolError> {
    ///     text.parse().map_err(ToolError::from_error)
    /// }
    /// assert_eq!(parse_port("high").unwrap_err().to_string(), "invalid digit found in string");
    /// ```
    pub fn from_error(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        match error.into().downcast::<Self>() {
            Ok(error) => *error,
            Err(error) => Self::describe(error.as_ref()),
        }
    }

    /// Like [`from_error`](Self::from_error), but for a borrowed error. The result is always
    /// [`ToolError::Model`].
    pub fn describe(error: &(dyn Error + 'static)) -> Self {
        Self::model(describe_error(error))
    }

    /// Creates an error that ends the run.
    pub fn fatal(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Fatal(source.into())
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(text) => text.fmt(f),
            Self::Deferred => f.write_str("the call continues elsewhere"),
            Self::Fatal(_) => f.write_str("the tool cannot work"),
        }
    }
}

impl Error for ToolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Fatal(source) => Some(source.as_ref()),
            Self::Model(_) | Self::Deferred => None,
        }
    }
}

/// The maximum number of sources that a text names.
const MAX_SOURCES: usize = 16;

/// Joins the texts of an error and of its sources with `: `. Many errors already end with the text of their source;
/// such a source is not repeated. At most 16 sources are named.
///
/// ```
/// use windlass_tool::{ToolError, describe_error};
/// let error = ToolError::fatal("the disk is full");
/// assert_eq!(describe_error(&error), "the tool cannot work: the disk is full");
/// ```
pub fn describe_error(error: &(dyn Error + 'static)) -> String {
    let mut words = error.to_string();
    let mut last = words.clone();
    let sources = std::iter::successors(error.source(), |&error| error.source());
    for source in sources.take(MAX_SOURCES).map(ToString::to_string) {
        if !last.ends_with(&source) {
            words.push_str(": ");
            words.push_str(&source);
        }
        last = source;
    }
    words
}

/// Converts any boxed error with [`ToolError::from_error`].
impl From<Box<dyn Error + Send + Sync>> for ToolError {
    fn from(error: Box<dyn Error + Send + Sync>) -> Self {
        Self::from_error(error)
    }
}

/// Converts an error of input or output into its text for the model.
impl From<std::io::Error> for ToolError {
    fn from(error: std::io::Error) -> Self {
        Self::from_error(error)
    }
}

impl From<String> for ToolError {
    fn from(text: String) -> Self {
        Self::model(text)
    }
}

impl From<&str> for ToolError {
    fn from(text: &str) -> Self {
        Self::model(text)
    }
}

impl From<ErrorText> for ToolError {
    fn from(text: ErrorText) -> Self {
        Self::Model(text)
    }
}
