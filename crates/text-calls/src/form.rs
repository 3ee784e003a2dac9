//! What a dialect is made of: forms, which say how a call begins, what follows and what ends it.

/// One way in which a dialect begins something.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) place: Place,
    pub(crate) steps: &'static [Step],
    pub(crate) body: Body,
    /// Marks that may follow a call of this form and belong to it.
    pub(crate) closers: &'static [&'static str],
}

/// Where a form can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Anywhere in a line.
    Anywhere,
    /// After nothing but white space in its line.
    Line,
    /// At the first thing that the model writes.
    Start,
}

/// One step of reading a form's beginning.
#[derive(Debug)]
pub(crate) enum Step {
    /// Exactly this.
    Lit(&'static str),
    /// This, if it is there.
    Opt(&'static str),
    /// One of these.
    One(&'static [&'static str]),
    /// Any white space, a little of it.
    Space,
    /// A tool's name, up to one of these characters.
    Name(&'static str),
    /// The same, of words joined by underscores.
    SnakeName(&'static str),
    /// The same, written as `functions.name:0`.
    Indexed(&'static str),
    /// A parameter's name, up to one of these characters.
    Key(&'static str),
    /// Anything short up to this mark, which is read over.
    Until(&'static str),
    /// A header of the harmony form that names a tool, up to its `<|message|>`.
    Recipient,
    /// From here on it is the body; the steps that follow only look ahead.
    Body,
    /// Looks ahead for a tag that can stand inside of the tool's own tag.
    Inside,
}

/// What a form leads to.
#[derive(Debug)]
pub(crate) enum Body {
    /// JSON that holds name and arguments.
    Envelope(Shape),
    /// The arguments as JSON.
    Arguments,
    /// Parameters between tags.
    Tags(&'static Tags),
    /// A call as Python writes it, after its opening bracket, perhaps one of a list.
    Python,
    /// An object with bare keys and marked strings.
    Literal,
    /// Thoughts, up to one of these marks.
    Reasoning(&'static [&'static str]),
    /// A mark of the model's template that says nothing to a reader.
    Drop,
}

/// How JSON holds calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Members that are not known are skipped, because a marker said that this is a call.
    Marked,
    /// Only the members of a call, because nothing else says that this is one.
    Bare,
    /// The key is the tool's name, the value its arguments.
    Keyed,
    /// The whole answer is one object: calls, words, and whether there is more to do.
    Structured,
}

/// How parameters are written between tags.
#[derive(Debug)]
pub(crate) struct Tags {
    /// How a parameter begins.
    pub(crate) parameter: &'static [Step],
    /// What ends a parameter; `{}` stands for its name.
    pub(crate) close: &'static str,
    /// What ends the call; `{tool}` stands for the tool's name.
    pub(crate) call_close: &'static [&'static str],
    pub(crate) trim: Trim,
    pub(crate) rule: CloseRule,
    /// What stands before every tag inside of a parameter that holds further tags.
    pub(crate) nested: Option<&'static str>,
    /// Whether a value may stand in a CDATA section.
    pub(crate) cdata: bool,
}

/// Which newlines around a value belong to the tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trim {
    /// One at each side, each by itself (RULES X2).
    Each,
    /// One at each side, the last only if there was a first.
    Paired,
    /// None.
    Never,
}

/// Which closing tag ends a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseRule {
    /// The first that is followed by another parameter or by the call's end.
    Followed,
    /// The first; for content-like parameters the last before the call's end (RULES X2).
    Own,
    /// The first.
    First,
}
