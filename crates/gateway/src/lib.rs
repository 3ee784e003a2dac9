#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#![expect(clippy::disallowed_methods, reason = "an answer says when it was made")]

mod answer;
mod carry;
mod gateway;
mod refusal;
mod serve;
mod stop;

pub use answer::{GatewayResponse, ResponseBody};
pub use carry::{ConvertedRequest, carry};
pub use gateway::{Gateway, Upstream};
pub use serve::{ServeOptions, serve, serve_until};
