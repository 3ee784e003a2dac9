//! The argument type of a tool.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use windlass_partial_json::Node;
use windlass_protocol::{Arguments, RawJson};

use crate::ToolError;
use crate::mismatch::Mismatches;
use crate::partial::PartialValue;
use crate::schema;

/// The arguments of a tool: a struct with `#[derive(ToolArgs)]`.
///
/// The derive generates everything that a tool needs for its arguments: the JSON Schema for the model, strict
/// deserialization of complete arguments, and a second struct, `Partial…`, that holds the arguments while
/// they stream.
///
/// ```
/// use windlass_tool::{PartialReader, ToolArgs};
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
    note = "put `#[derive(ToolArgs)]` on the struct"
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
        read(arguments)
    }

    /// Fills in defaults once the top-level object has ended, and reports members that are missing and have
    /// no default. Returns whether all members are complete.
    #[doc(hidden)]
    fn settle(growing: &mut Self::Growing, object: Node<'_>, mismatches: &mut Mismatches) -> bool;
}

/// Error for complete arguments that do not fit a tool's type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}{}{message}", if path.is_empty() { "" } else { ": " })]
#[non_exhaustive]
pub struct ArgumentsUnfit {
    /// Place of the error, as a JSON Pointer; empty for the arguments as a whole.
    pub path: String,
    /// Description of the error.
    pub message: String,
}

impl From<ArgumentsUnfit> for ToolError {
    fn from(unfit: ArgumentsUnfit) -> Self {
        Self::model(format!("the arguments do not fit this tool: {unfit}"))
    }
}

pub(crate) fn read<T: DeserializeOwned>(arguments: &Arguments) -> Result<T, ArgumentsUnfit> {
    // Deserialize from the text instead of a `Value`, so that numbers keep all digits.
    let mut text = serde_json::Deserializer::from_str(arguments.as_str());
    serde_path_to_error::deserialize(&mut text).map_err(|error| {
        let path = pointer(error.path());
        let message = error.inner().to_string();
        // Cut off line and column: the model does not see the JSON text with its lines.
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        ArgumentsUnfit { path, message: message.to_owned() }
    })
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut pointer = String::new();
    for segment in path {
        let token = match segment {
            Segment::Seq { index } => index.to_string(),
            Segment::Map { key } => key.replace('~', "~0").replace('/', "~1"),
            // An enum variant has no token of its own in a JSON Pointer, and an unknown segment has no name.
            Segment::Enum { .. } | Segment::Unknown => continue,
        };
        pointer.push('/');
        pointer.push_str(&token);
    }
    pointer
}
