//! Ready graders.

mod call;
mod code;
mod json;
mod judge;
mod number;
mod shorten;
mod text;

pub use call::{CallGrader, calls, never_calls};
pub(crate) use code::panic_text;
pub use code::{CodeGrader, code};
pub use json::{JsonGrader, SchemaGrader, TypedGrader, equals_json, equals_typed, json_schema};
pub use judge::{Judge, judge, judge_with};
pub use number::{NumberGrader, number};
pub use text::{InvalidPattern, TextGrader, contains, exact, matches};
