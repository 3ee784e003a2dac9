#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod dialect;
mod rules;

mod compiled;
mod loss;

mod compile;

mod coerce;
mod reading;
mod wanted;

mod fits;
mod json;
mod kind;
mod limits;

#[cfg(feature = "validate")]
mod checker;
#[cfg(feature = "validate")]
mod known_types;
#[cfg(feature = "validate")]
mod nearest;
#[cfg(feature = "validate")]
mod violation;
#[cfg(feature = "validate")]
mod work;

#[cfg(feature = "validate")]
pub use checker::{Checker, SchemaError};
pub use coerce::{Coercion, coerce, coerce_at};
pub use compiled::{CompileOptions, CompiledSchema, RootUnion};
pub use dialect::Dialect;
pub use loss::Loss;
pub use reading::{Need, TextConversion, is_member};
#[cfg(feature = "validate")]
pub use violation::Violation;
pub use wanted::{AcceptedKinds, WantedKind, resolve};
