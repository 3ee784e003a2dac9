//! The argument type of a tool.

use schemars::JsonSchema;
use windlass_partial_json::Node;
use windlass_protocol::{Arguments, RawJson};

use crate::mismatch::Mismatches;
use crate::partial::PartialValue;
use crate::unfit::ArgumentsUnfit;
use crate::{read, reader, schema};

/// The arguments of a tool: a struct with `#[derive(ToolArgs)]`.
///
/// The derive generates everything that a tool needs for its arguments: the JSON Schema for the model, strict
/// deserialization of complete arguments, and a second struct, `Partial…`, that holds the arguments while
/// they stream.
///
/// ```
/// use windlass_tool_args::{PartialReader, ToolArgs};
///
/// /// What to write.
/// #[derive(Debug, ToolArgs)]
/// struct WriteFile {
///     /// The file, relative to the workspace.
///     path: std::path::PathBuf,
///     /// Its whole content.
///     content: String,
/// }
///
/// let mut reader = PartialReader::<WriteFile>::default();
/// reader.push(r#"{"path": "a.rs", "content": "fn ma"#);
/// assert!(reader.partial().path.is_complete());
/// assert_eq!(reader.partial().content.as_str(), "fn ma");
///
/// let arguments = windlass_protocol::Arguments::parse(r#"{"path": "a.rs", "content": "fn main() {}"}"#)?;
/// assert_eq!(WriteFile::parse(&arguments)?.content, "fn main() {}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the arguments of a tool",
    note = "put `#[derive(ToolArgs)]` on a struct with named fields; an enum is a value inside of such a struct"
)]
pub trait ToolArgs: PartialValue<Growing: Default> + JsonSchema {
    /// Returns the JSON Schema of the arguments. Subschemas are inlined except for recursive types,
    /// properties are in field order, and the text is identical on each call.
    fn schema() -> RawJson {
        schema::schema_of::<Self>()
    }

    /// Deserializes complete arguments.
    ///
    /// # Errors
    /// Returns an error if the arguments do not fit the type; the error names the place.
    fn parse(arguments: &Arguments) -> Result<Self, ArgumentsUnfit> {
        read::parse(arguments).map_err(|unfit| reader::with_place::<Self>(arguments, unfit))
    }

    /// Fills in defaults once the top-level object has ended, and reports members that are missing and have
    /// no default. Returns whether all members are complete.
    #[doc(hidden)]
    fn settle(growing: &mut Self::Growing, object: Node<'_>, mismatches: &mut Mismatches) -> bool;

    /// Returns whether the arguments have a member with this key.
    #[doc(hidden)]
    fn has_member(key: &str) -> bool;

    /// Returns the names of the members in the order of the fields.
    #[doc(hidden)]
    fn member_names() -> Vec<&'static str>;
}
