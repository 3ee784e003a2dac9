//! Rendering of tools, calls and results as text for models without native tool calling.

mod call;
mod catalogue;
mod members;
mod results;

pub use self::call::render_call;
pub use self::catalogue::catalogue;
pub use self::results::results;
