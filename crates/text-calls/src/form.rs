//! Forms, the data that describes a dialect: the beginning, the body and the end of a call.

/// One syntax of a dialect for a call, for thoughts, or for a template mark.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) place: Place,
    pub(crate) steps: &'static [Step],
    pub(crate) body: Body,
    /// Closing marks that belong to a call of this form if they follow it.
    pub(crate) closers: &'static [&'static str],
}

/// The position at which a form may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Anywhere in a line.
    Anywhere,
    /// At the start of a line, after white space only.
    Line,
    /// At the first text of the answer.
    Start,
}

/// One step of matching the beginning of a form.
#[derive(Debug)]
pub(crate) enum Step {
    /// Matches this text exactly.
    Lit(&'static str),
    /// Matches this text if it is present.
    Opt(&'static str),
    /// Matches one of these texts.
    One(&'static [&'static str]),
    /// Matches up to 64 bytes of white space.
    Space,
    /// Matches the name of an offered tool, up to one of these characters.
    Name(&'static str),
    /// Like `Name`, for names that contain an underscore.
    SnakeName(&'static str),
    /// Like `Name`, for names written as `functions.name:0`.
    Indexed(&'static str),
    /// Matches a parameter's name, up to one of these characters.
    Key(&'static str),
    /// Skips a short text up to and including this mark.
    Until(&'static str),
    /// Matches a harmony message header that names a tool, up to its `<|message|>`.
    Recipient,
    /// Marks the start of the body. The following steps are lookahead only.
    Body,
    /// Lookahead for a tag that can follow the opening tag of the tool.
    Inside,
}

/// The content that follows the beginning of a form.
#[derive(Debug)]
pub(crate) enum Body {
    /// JSON that holds the name and the arguments.
    Envelope(Shape),
    /// The arguments as JSON.
    Arguments,
    /// Parameters, each between tags.
    Tags(&'static Tags),
    /// A call in Python syntax after its opening bracket, optionally in a list.
    Python,
    /// An object with unquoted keys and marked strings.
    Literal,
    /// Thoughts, which end at one of these marks.
    Reasoning(&'static [&'static str]),
    /// A mark of the model's chat template, which is dropped.
    Drop,
}

/// The arrangement of calls in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A marker identifies the call, so unknown members are skipped.
    Marked,
    /// Only the JSON identifies the call, so unknown members are not accepted.
    Bare,
    /// The key is the tool's name, the value its arguments.
    Keyed,
    /// The whole answer is one object that holds calls, content, and whether there is more work.
    Structured,
}

/// The syntax of parameters between tags.
#[derive(Debug)]
pub(crate) struct Tags {
    /// The beginning of a parameter.
    pub(crate) parameter: &'static [Step],
    /// The closing tag of a parameter; `{}` is replaced with its name.
    pub(crate) close: &'static str,
    /// The closing tags of the call; `{tool}` is replaced with the tool's name.
    pub(crate) call_close: &'static [&'static str],
    pub(crate) trim: Trim,
    pub(crate) rule: CloseRule,
    /// The mark before every tag inside a parameter, for dialects whose tags nest.
    pub(crate) nested: Option<&'static str>,
    /// True if a value may be in a CDATA section.
    pub(crate) cdata: bool,
}

/// The newlines around a value that belong to its tags and are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trim {
    /// One newline on each side, independently (RULES X2).
    Each,
    /// One newline on each side, the last one only if there was a first one.
    Paired,
    /// No newline.
    Never,
}

/// The rule for which closing tag ends a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseRule {
    /// The first one that is followed by another parameter or by the end of the call.
    Followed,
    /// The first one; for content-like parameters the last one before the end of the call (RULES X2).
    Own,
    /// The first one.
    First,
}
