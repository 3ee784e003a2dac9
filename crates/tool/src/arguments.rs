//! The trait of a tool's own argument type.

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
/// The derive gives everything that a tool needs of its arguments: the schema that the model is told, the
/// strict reading of finished arguments, and a second struct, `Partial…`, that shows them while they arrive.
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
    /// The JSON Schema of the arguments: in one piece, properties in the order of the fields, the same bytes
    /// each time.
    fn schema() -> RawJson {
        schema::of::<Self>()
    }

    /// Reads finished arguments.
    ///
    /// # Errors
    /// If they do not fit; the error names the place.
    fn parse(arguments: &Arguments) -> Result<Self, ArgumentsUnfit> {
        read(arguments)
    }

    /// The top-level object has ended: what never came has its default, or is told as missing.
    #[doc(hidden)]
    fn settle(growing: &mut Self::Growing, object: Node<'_>, mismatches: &mut Mismatches) -> bool;
}

/// Finished arguments that do not fit a tool's type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}{}{message}", if path.is_empty() { "" } else { ": " })]
#[non_exhaustive]
pub struct ArgumentsUnfit {
    /// Where, as a JSON Pointer; empty is the arguments as a whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl From<ArgumentsUnfit> for ToolError {
    fn from(unfit: ArgumentsUnfit) -> Self {
        Self::model(format!("the arguments do not fit this tool: {unfit}"))
    }
}

pub(crate) fn read<T: DeserializeOwned>(arguments: &Arguments) -> Result<T, ArgumentsUnfit> {
    // From the text and not from the value, so that numbers keep their digits.
    let mut text = serde_json::Deserializer::from_str(arguments.as_str());
    serde_path_to_error::deserialize(&mut text).map_err(|error| {
        let path = pointer(error.path());
        let message = error.inner().to_string();
        // A line and a column of JSON that nobody sees help nobody.
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
            // A variant is no place in the text, and what is unknown has no name.
            Segment::Enum { .. } | Segment::Unknown => continue,
        };
        pointer.push('/');
        pointer.push_str(&token);
    }
    pointer
}
