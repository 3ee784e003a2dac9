//! Streamed arguments together with the parser that reads them.

use std::any::Any;

use windlass_partial_json::{Error, Event, Parser, Snapshot, Status};

use crate::arguments::ToolArgs;
use crate::mismatch::Mismatch;
use crate::typed::TypedPartial;

/// A parser for streamed arguments that fills a typed partial struct. It accepts text in chunks of any size,
/// and the partial struct can be read after each chunk.
///
/// Each push costs time linear in its length: strings are appended to, and every other value is deserialized
/// once, when it is complete. A reader cannot produce arguments that run; [`ToolArgs::parse`] reads complete
/// arguments.
///
/// ```
/// use windlass_tool::{PartialReader, ToolArgs};
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

/// The arguments of one call while they stream, for [`Tool::on_partial`](crate::Tool::on_partial). They can
/// be read as a JSON snapshot, as events, or as the tool's own type.
#[derive(Debug, Default)]
pub struct GrowingArguments {
    parser: Parser,
    typed: Option<Box<dyn Any + Send>>,
    ignored: bool,
}

impl GrowingArguments {
    /// Parses the next chunk. Does nothing if the tool ignores the arguments.
    pub fn push(&mut self, delta: &str) {
        if !self.ignored {
            let _: Result<(), Error> = self.parser.push(delta);
        }
    }

    /// Discards the arguments and ignores all later chunks of this call.
    pub fn ignore(&mut self) {
        *self = Self { ignored: true, ..Self::default() };
    }

    /// Returns whether the tool ignores the arguments of this call.
    pub fn is_ignored(&self) -> bool {
        self.ignored
    }

    /// Returns the parsed JSON in its current state, in constant time.
    pub fn snapshot(&self) -> Snapshot<'_> {
        self.parser.snapshot()
    }

    /// Passes the changes since the last call of this method to `on_event`.
    pub fn drain_events(&mut self, on_event: impl FnMut(Event<'_>)) {
        self.parser.drain_events(on_event);
    }

    /// Returns the arguments as the tool's own partial struct. The cost is linear in the changes since the
    /// last call.
    pub fn typed<T: ToolArgs>(&mut self) -> &T::Growing {
        self.update::<T>().partial()
    }

    /// Returns the first values that did not fit the tool's own type, at most 16.
    pub fn mismatches<T: ToolArgs>(&mut self) -> &[Mismatch] {
        self.update::<T>().mismatches()
    }

    fn update<T: ToolArgs>(&mut self) -> &TypedPartial<T> {
        if !self.typed.as_ref().is_some_and(|typed| typed.is::<TypedPartial<T>>()) {
            self.typed = Some(Box::new(TypedPartial::<T>::default()));
        }
        let typed = self.typed.as_mut().and_then(|typed| typed.downcast_mut::<TypedPartial<T>>());
        let typed = typed.expect("it was made one line above if it was of another type");
        typed.update(self.parser.snapshot());
        typed
    }
}
