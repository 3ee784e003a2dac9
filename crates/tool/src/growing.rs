//! Arguments while they arrive, with the parser that reads them.

use std::any::Any;

use windlass_partial_json::{Error, Event, Parser, Snapshot, Status};

use crate::arguments::ToolArgs;
use crate::mismatch::Mismatch;
use crate::typed::TypedPartial;

/// Typed arguments while they arrive: text in, however cut; the partial struct at any time.
///
/// Each push costs what its own length costs: a growing text is appended to, everything else is read once,
/// when it is whole. Nothing here can be run: finished arguments are read with [`ToolArgs::parse`].
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
    /// A reader on a parser of one's own, for other limits.
    pub fn new(parser: Parser) -> Self {
        Self { parser, typed: TypedPartial::default() }
    }

    /// Takes the next text. What is not JSON ends what is shown and takes nothing back; [`status`](Self::status)
    /// says so.
    pub fn push(&mut self, delta: &str) -> &T::Growing {
        let _: Result<(), Error> = self.parser.push(delta);
        self.typed.update(self.parser.snapshot())
    }

    /// What is known so far.
    pub fn partial(&self) -> &T::Growing {
        self.typed.partial()
    }

    /// What came and does not fit, the first few of it.
    pub fn mismatches(&self) -> &[Mismatch] {
        self.typed.mismatches()
    }

    /// What is known so far, without the type.
    pub fn snapshot(&self) -> Snapshot<'_> {
        self.parser.snapshot()
    }

    /// Where the text as a whole stands.
    pub fn status(&self) -> Status {
        self.parser.status()
    }
}

/// The arguments of one call while they arrive, for [`Tool::on_partial`](crate::Tool::on_partial): as a
/// snapshot, as events, or as the tool's own type.
#[derive(Debug, Default)]
pub struct GrowingArguments {
    parser: Parser,
    typed: Option<Box<dyn Any + Send>>,
    ignored: bool,
}

impl GrowingArguments {
    /// Takes the next text; nothing if the tool ignores it.
    pub fn push(&mut self, delta: &str) {
        if !self.ignored {
            let _: Result<(), Error> = self.parser.push(delta);
        }
    }

    /// Says that the tool does not want to see more of this call. It is not asked again, and nothing is kept.
    pub fn ignore(&mut self) {
        *self = Self { ignored: true, ..Self::default() };
    }

    /// Whether the tool does not want to see more.
    pub fn is_ignored(&self) -> bool {
        self.ignored
    }

    /// What is known so far. Costs nothing.
    pub fn snapshot(&self) -> Snapshot<'_> {
        self.parser.snapshot()
    }

    /// Tells what has changed since the last time.
    pub fn drain_events(&mut self, on_event: impl FnMut(Event<'_>)) {
        self.parser.drain_events(on_event);
    }

    /// What is known so far as the tool's own type. Costs what has changed since the last time.
    pub fn typed<T: ToolArgs>(&mut self) -> &T::Growing {
        self.updated::<T>().partial()
    }

    /// What came and does not fit the tool's own type, the first few of it.
    pub fn mismatches<T: ToolArgs>(&mut self) -> &[Mismatch] {
        self.updated::<T>().mismatches()
    }

    fn updated<T: ToolArgs>(&mut self) -> &TypedPartial<T> {
        if !self.typed.as_ref().is_some_and(|typed| typed.is::<TypedPartial<T>>()) {
            self.typed = Some(Box::new(TypedPartial::<T>::default()));
        }
        let typed = self.typed.as_mut().and_then(|typed| typed.downcast_mut::<TypedPartial<T>>());
        let typed = typed.expect("it was made one line above if it was of another type");
        typed.update(self.parser.snapshot());
        typed
    }
}
