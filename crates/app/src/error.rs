//! Errors, in words for the person who configures the program.

mod causes;
mod conversions;
mod remedy;

use std::error::Error as StdError;
use std::fmt;

pub use causes::{causes, one_line};
pub use remedy::{Remedy, Setting};

/// Class of an error, from which a front end chooses its reaction, such as a status code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file, an option or a value cannot be used. A person has to correct it.
    Invalid,
    /// The named run, provider, mode, workflow or server does not exist.
    NotFound,
    /// The provider needs a key that the environment does not contain.
    MissingKey,
    /// The library was built without the cargo feature for the request.
    MissingFeature,
    /// The state of the run does not permit the request.
    Conflict,
    /// A file, a program or a server failed.
    Unavailable,
}

/// Error of this crate: a class, words for a person, and possibly a [`Remedy`].
///
/// The text names no control of a front end, such as an option of a command line.
/// The text never quotes the content of a file, because a person may name a file with secrets by mistake.
/// [`causes`] lists the text together with the texts of the causes.
#[derive(Debug)]
pub struct AppError {
    kind: ErrorKind,
    body: Body,
    remedy: Option<Remedy>,
}

type Source = Box<dyn StdError + Send + Sync>;

#[derive(Debug)]
enum Body {
    /// Text of this crate, with its cause.
    Text(String, Option<Source>),
    /// Error of another crate, whose text and cause count as those of this error.
    Foreign(Source),
}

impl AppError {
    /// Creates an error from its class and its text.
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self { kind, body: Body::Text(text.into(), None), remedy: None }
    }

    /// Creates the error for a task of the runtime that failed.
    pub(crate) fn task_failure() -> Self {
        Self::new(ErrorKind::Unavailable, "a task of the program failed")
    }

    /// Adds the step by which a person can resolve the error.
    #[must_use]
    pub fn with_remedy(self, remedy: Remedy) -> Self {
        Self { remedy: Some(remedy), ..self }
    }

    /// Returns the step by which a person can resolve the error, if this error or its direct cause has one.
    pub fn remedy(&self) -> Option<&Remedy> {
        self.remedy.as_ref().or_else(|| self.downcast_ref::<Self>()?.remedy())
    }

    /// Returns the class of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the error of another crate that this error passes on, or that is its direct cause.
    pub fn downcast_ref<E: StdError + 'static>(&self) -> Option<&E> {
        match &self.body {
            Body::Foreign(error) | Body::Text(_, Some(error)) => error.downcast_ref(),
            Body::Text(_, None) => None,
        }
    }

    pub(crate) fn foreign(kind: ErrorKind, error: impl StdError + Send + Sync + 'static) -> Self {
        Self { kind, body: Body::Foreign(Box::new(error)), remedy: None }
    }

    fn with_text(self, text: String) -> Self {
        let (kind, remedy) = (self.kind, self.remedy);
        let source: Source = match self.body {
            Body::Foreign(source) => source,
            body @ Body::Text(..) => Box::new(Self { kind, body, remedy: None }),
        };
        Self { kind, body: Body::Text(text, Some(source)), remedy }
    }
}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.body {
            Body::Text(text, _) => f.write_str(text),
            Body::Foreign(error) => error.fmt(f),
        }
    }
}

impl StdError for AppError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.body {
            Body::Text(_, source) => source.as_ref().map(|source| &**source as &(dyn StdError + 'static)),
            Body::Foreign(error) => error.source(),
        }
    }
}

/// Result of this crate's functions.
pub(crate) type Result<T, E = AppError> = std::result::Result<T, E>;

/// Adds words to an error, or replaces a missing value by an error.
pub(crate) trait Context<T> {
    /// Adds words.
    fn context(self, text: impl Into<String>) -> Result<T>;

    /// Adds words that are made only for an error.
    fn with_context<S: Into<String>>(self, text: impl FnOnce() -> S) -> Result<T>;
}

impl<T, E: Into<AppError>> Context<T> for std::result::Result<T, E> {
    fn context(self, text: impl Into<String>) -> Result<T> {
        self.map_err(|error| error.into().with_text(text.into()))
    }

    fn with_context<S: Into<String>>(self, text: impl FnOnce() -> S) -> Result<T> {
        self.map_err(|error| error.into().with_text(text().into()))
    }
}

impl<T> Context<T> for Option<T> {
    fn context(self, text: impl Into<String>) -> Result<T> {
        self.ok_or_else(|| AppError::new(ErrorKind::Invalid, text))
    }

    fn with_context<S: Into<String>>(self, text: impl FnOnce() -> S) -> Result<T> {
        self.ok_or_else(|| AppError::new(ErrorKind::Invalid, text()))
    }
}

/// Returns an error from the calling function: its kind, possibly a remedy, and the arguments of `format!`.
macro_rules! bail {
    ($kind:ident, remedy: $remedy:expr, $($text:tt)+) => {
        return Err($crate::error::AppError::new($crate::error::ErrorKind::$kind, format!($($text)+))
            .with_remedy($remedy))
    };
    ($kind:ident, $($text:tt)+) => {
        return Err($crate::error::AppError::new($crate::error::ErrorKind::$kind, format!($($text)+)))
    };
}

/// Returns an error from the calling function unless a condition holds.
macro_rules! ensure {
    ($condition:expr, $kind:ident, $($text:tt)+) => {
        if !$condition {
            $crate::error::bail!($kind, $($text)+);
        }
    };
}

pub(crate) use {bail, ensure};
