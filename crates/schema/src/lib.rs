#![doc = include_str!("../README.md")]

mod checker;
mod violation;

pub use checker::{Checker, SchemaError};
pub use violation::Violation;
