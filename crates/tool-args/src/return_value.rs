//! Conversion of the value that a function under `#[tool]` returned.
//!
//! The macro does not see types, so its output selects a conversion by method lookup: an inherent method whose
//! bounds hold comes first, then a trait method of the same receiver, then trait methods of `&` and `&mut`
//! receivers (autoref specialization). The last one always fails to compile, with a message of this crate.
#![expect(clippy::exhaustive_structs, reason = "the generated code builds these values")]

use std::convert::Infallible;
use std::error::Error;

use serde::Serialize;
use windlass_tool::{Output, ToolError};

/// The value that a function returned.
#[derive(Debug)]
pub struct ReturnValue<T>(pub T);

/// The successful value of a function.
#[derive(Debug)]
pub struct Success<T>(pub T);

/// The error of a function.
#[derive(Debug)]
pub struct Failure<E>(pub E);

impl<T, E> ReturnValue<Result<T, E>> {
    /// Returns the result itself.
    ///
    /// # Errors
    /// Returns the function's error.
    pub fn into_result(self) -> Result<T, E> {
        self.0
    }
}

/// Treats a value that is not a `Result` as a success.
pub trait PlainValue {
    /// The type of the value.
    type Value;

    /// Returns the value.
    ///
    /// # Errors
    /// Never fails.
    fn into_result(self) -> Result<Self::Value, Infallible>;
}

impl<T> PlainValue for ReturnValue<T> {
    type Value = T;

    fn into_result(self) -> Result<T, Infallible> {
        Ok(self.0)
    }
}

impl<T: Into<Output>> Success<T> {
    /// Converts the value with its own conversion.
    ///
    /// # Errors
    /// Never fails.
    pub fn into_output(self) -> Result<Output, ToolError> {
        Ok(self.0.into())
    }
}

/// Converts a value without a conversion of its own into its JSON text.
pub trait SerializeOutput {
    /// Returns the JSON text of the value.
    ///
    /// # Errors
    /// Returns [`ToolError::Fatal`] if the value has no JSON form.
    fn into_output(self) -> Result<Output, ToolError>;
}

impl<T: Serialize> SerializeOutput for Success<T> {
    fn into_output(self) -> Result<Output, ToolError> {
        Output::json(&self.0)
    }
}

/// A type without impls, for the message of the compiler.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of a tool",
    label = "is not text, JSON or `Output`",
    note = "return text, `Output`, or a type with `#[derive(serde::Serialize)]`"
)]
pub trait OutputType {}

/// Fails to compile for a value without any conversion.
pub trait RejectOutput {
    /// The type of the value.
    type Value;

    /// Does not exist for any value.
    ///
    /// # Errors
    /// Cannot be called.
    fn into_output(self) -> Result<Output, ToolError>
    where
        Self: Sized,
        Self::Value: OutputType,
    {
        Err(ToolError::model("the output has no text"))
    }
}

impl<T> RejectOutput for &Success<T> {
    type Value = T;
}

impl<E: Into<ToolError>> Failure<E> {
    /// Converts the error with its own conversion.
    pub fn into_error(self) -> ToolError {
        self.0.into()
    }
}

/// Converts any error into its text for the model.
pub trait DescribeError {
    /// Returns the text of the error and of its sources.
    fn into_error(self) -> ToolError;
}

impl<E: Into<Box<dyn Error + Send + Sync>>> DescribeError for Failure<E> {
    fn into_error(self) -> ToolError {
        ToolError::from_error(self.0)
    }
}

/// Converts a boxed error that cannot leave its thread into its text for the model.
pub trait DescribeLocalError {
    /// Returns the text of the error and of its sources.
    fn into_error(self) -> ToolError;
}

impl DescribeLocalError for &Failure<Box<dyn Error>> {
    fn into_error(self) -> ToolError {
        ToolError::describe(self.0.as_ref())
    }
}

/// A type without impls, for the message of the compiler.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "is not an error and not text",
    note = "implement `std::error::Error` for it, or `From<{Self}>` for `ToolError`"
)]
pub trait ErrorType {}

/// Fails to compile for an error without any conversion.
pub trait RejectError {
    /// The type of the error.
    type Value;

    /// Does not exist for any error.
    fn into_error(self) -> ToolError
    where
        Self: Sized,
        Self::Value: ErrorType,
    {
        ToolError::model("the error has no text")
    }
}

impl<E> RejectError for &mut Failure<E> {
    type Value = E;
}
