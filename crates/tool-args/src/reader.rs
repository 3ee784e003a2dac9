//! Streamed arguments together with the parser that reads them.

use windlass_partial_json::{Error, Parser, Snapshot, Status};
use windlass_protocol::Arguments;

use crate::arguments::ToolArgs;
use crate::mismatch::Mismatch;
use crate::typed::TypedPartial;
use crate::unfit::ArgumentsUnfit;

/// A parser for streamed arguments that fills a typed partial struct. It accepts text in chunks of any size,
/// and the partial struct can be read after each chunk.
///
/// Each push costs time linear in its length: strings are appended to, and every other value is deserialized
/// once, when it is complete. A reader cannot produce arguments that run; [`ToolArgs::parse`] reads complete
/// arguments.
///
/// ```
/// use windlass_tool_args::{PartialReader, ToolArgs};
///
/// #[derive(Debug, ToolArgs)]
/// struct Search { pattern: String, paths: Vec<String>, limit: Option<u32> }
///
/// let mut reader = PartialReader::<Search>::default();
/// reader.push(r#"{"pattern": "fn ", "paths": ["src", "te"#);
/// let paths = reader.partial().paths.growing().unwrap();
/// assert_eq!((paths[0].as_str(), paths[1].as_str()), ("src", "te"));
///
/// reader.push(r#"sts"], "limit": "ten"}"#);
/// assert_eq!(reader.mismatches()[0].path, "/limit");
/// assert!(reader.partial().paths.is_complete());
/// ```
#[derive(Debug)]
pub struct PartialReader<T: ToolArgs> {
    parser: Parser,
    typed: TypedPartial<T>,
}

impl<T: ToolArgs> Default for PartialReader<T> {
    fn default() -> Self {
        Self::new(Parser::new())
    }
}

impl<T: ToolArgs> PartialReader<T> {
    /// Creates a reader that uses the given parser, for example one with other limits.
    pub fn new(parser: Parser) -> Self {
        Self { parser, typed: TypedPartial::default() }
    }

    /// Parses the next chunk and returns the partial struct. A syntax error ends parsing but keeps everything
    /// parsed before it; [`status`](Self::status) then reports the error.
    pub fn push(&mut self, delta: &str) -> &T::Growing {
        let _: Result<(), Error> = self.parser.push(delta);
        self.typed.update(self.parser.snapshot())
    }

    /// Returns the partial struct in its current state.
    pub fn partial(&self) -> &T::Growing {
        self.typed.partial()
    }

    /// Returns the first values that did not fit the type, at most 16.
    pub fn mismatches(&self) -> &[Mismatch] {
        self.typed.mismatches()
    }

    /// Returns the parsed JSON in its current state, without the type.
    pub fn snapshot(&self) -> Snapshot<'_> {
        self.parser.snapshot()
    }

    /// Returns the parse status of the whole text.
    pub fn status(&self) -> Status {
        self.parser.status()
    }
}

/// Returns the error with the place that a partial reader finds. serde reads the members of a flattened struct from a
/// buffer, which has no places.
pub(crate) fn with_place<T: ToolArgs>(arguments: &Arguments, unfit: ArgumentsUnfit) -> ArgumentsUnfit {
    let mut reader = PartialReader::<T>::default();
    reader.push(arguments.as_str());
    match reader.mismatches().first() {
        Some(Mismatch { path, wanted, met })
            if path.len() > unfit.path.len() && path.starts_with(&unfit.path) =>
        {
            ArgumentsUnfit { path: path.clone(), message: format!("found {met}, expected {wanted}") }
        }
        _ => unfit,
    }
}
