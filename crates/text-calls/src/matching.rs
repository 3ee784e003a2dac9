//! Matching of the beginning of a form against text that may end in the middle of it.

use crate::form::Step;
use crate::tools::{NAME_BYTES, Tools};

/// Maximum white space between the parts of a beginning, in bytes.
const SPACE: usize = 64;
/// Maximum bytes that an `Until` step skips.
const BETWEEN: usize = 256;

/// The result of matching a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome<'t> {
    No,
    /// The text so far is a prefix of a match.
    Maybe,
    Yes(MatchedOpening<'t>),
}

/// The data of a matched beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MatchedOpening<'t> {
    /// The number of bytes matched.
    pub(crate) used: usize,
    /// The name of the tool or of the parameter.
    pub(crate) name: &'t str,
    /// The text that an `Until` step skipped.
    pub(crate) between: &'t str,
}

/// The text to match, and its context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'t, 'o> {
    pub(crate) text: &'t str,
    /// True if the text is complete.
    pub(crate) ended: bool,
    pub(crate) tools: &'o Tools,
}

/// The number of bytes that a step matched.
type Taken = Result<usize, Miss>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Miss {
    Never,
    NotYet,
}

/// Matches the steps of one form against the start of the text.
pub(crate) fn read_steps<'t>(steps: &[Step], source: Source<'t, '_>) -> Outcome<'t> {
    let mut found = MatchedOpening::default();
    let mut at = 0;
    let mut body = None;
    for step in steps {
        let Some(rest) = source.text.get(at..) else { return Outcome::No };
        match take(step, Source { text: rest, ..source }, &mut found) {
            Ok(_) if matches!(step, Step::Body) => body = Some(at),
            Ok(taken) => at = at.saturating_add(taken),
            Err(Miss::NotYet) if !source.ended => return Outcome::Maybe,
            Err(_) => return Outcome::No,
        }
    }
    found.used = body.unwrap_or(at);
    Outcome::Yes(found)
}

fn take<'t>(step: &Step, source: Source<'t, '_>, found: &mut MatchedOpening<'t>) -> Taken {
    let text = source.text;
    match step {
        Step::Lit(literal) => lit(text, literal),
        Step::Opt(literal) => match lit(text, literal) {
            Err(Miss::NotYet) if source.ended => Ok(0),
            Err(Miss::Never) => Ok(0),
            other => other,
        },
        Step::One(literals) => one(text, literals, source.ended),
        Step::Space => match window(text, SPACE).find(|c: char| !c.is_ascii_whitespace()) {
            Some(len) => Ok(len),
            None if text.len() <= SPACE => Err(Miss::NotYet),
            None => Err(Miss::Never),
        },
        Step::Name(stops) | Step::SnakeName(stops) => {
            let len = up_to(text, stops, |part| source.tools.may_begin(part.trim_ascii_end()))?;
            let name = text.get(..len).unwrap_or_default().trim_ascii_end();
            found.name = name;
            let fits = matches!(step, Step::Name(_)) || name.contains('_');
            if fits && source.tools.offers(name) { Ok(len) } else { Err(Miss::Never) }
        }
        Step::Indexed(stops) => {
            let begins = |part: &str| {
                "functions.".starts_with(part) || source.tools.may_begin(plain_name(part.trim_ascii()))
            };
            let len = up_to(text, stops, begins)?;
            let name = plain_name(text.get(..len).unwrap_or_default().trim_ascii());
            found.name = name;
            if source.tools.offers(name) { Ok(len) } else { Err(Miss::Never) }
        }
        Step::Key(stops) => {
            let len = up_to(text, stops, |part| !part.contains(['\n', '<']))?;
            let key = text.get(..len).unwrap_or_default();
            found.name = key;
            if key.is_empty() || key.contains(['\n', '<']) { Err(Miss::Never) } else { Ok(len) }
        }
        Step::Until(mark) => {
            let len = bytes_before_mark(text, mark)?;
            found.between = text.get(..len).unwrap_or_default();
            Ok(len.saturating_add(mark.len()))
        }
        Step::Recipient => recipient(source, found),
        Step::Body => Ok(0),
        Step::Inside => match_inside(source, found.name),
    }
}

fn lit(text: &str, literal: &str) -> Taken {
    if text.starts_with(literal) {
        Ok(literal.len())
    } else if literal.starts_with(text) {
        Err(Miss::NotYet)
    } else {
        Err(Miss::Never)
    }
}

/// Matches the first literal that fits. Waits for a literal that may still fit, so that the result does not
/// depend on how the text is split.
fn one(text: &str, literals: &[&str], ended: bool) -> Taken {
    for literal in literals {
        match lit(text, literal) {
            Err(Miss::Never) => {}
            Err(Miss::NotYet) if ended => {}
            taken => return taken,
        }
    }
    Err(Miss::Never)
}

/// Returns the number of bytes before the first of these characters.
fn up_to(text: &str, stops: &str, may_begin: impl Fn(&str) -> bool) -> Taken {
    match window(text, NAME_BYTES).find(|c| stops.contains(c)) {
        Some(len) => Ok(len),
        None if text.len() <= NAME_BYTES && may_begin(text) => Err(Miss::NotYet),
        None => Err(Miss::Never),
    }
}

/// Returns the number of bytes before a mark.
fn bytes_before_mark(text: &str, mark: &str) -> Taken {
    let most = BETWEEN.saturating_add(mark.len());
    match window(text, most).find(mark) {
        Some(len) => Ok(len),
        None if text.len() <= most => Err(Miss::NotYet),
        None => Err(Miss::Never),
    }
}

/// Returns at most the first `most` bytes of the text, which bounds the cost of each attempt to match.
fn window(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// Returns the name in `functions.name:0`.
fn plain_name(text: &str) -> &str {
    let name = text.strip_prefix("functions.").unwrap_or(text);
    match name.rsplit_once(':') {
        Some((name, index)) if index.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    }
}

/// Matches a header such as ` to=functions.name<|channel|>commentary <|constrain|>json<|message|>`.
fn recipient<'t>(source: Source<'t, '_>, found: &mut MatchedOpening<'t>) -> Taken {
    const END: &str = "<|message|>";
    let text = source.text;
    let header_of = |len| text.get(..len).unwrap_or_default();
    let len = bytes_before_mark(text, END)?;
    let header = header_of(len);
    let after_to = header.split_once("to=functions.").map(|(_, to)| to);
    let to = after_to.or_else(|| header.strip_prefix("functions.")).ok_or(Miss::Never)?;
    // A message that ends inside its own header is not a call.
    if header.contains("<|end|>") || header.contains("<|start|>") {
        return Err(Miss::Never);
    }
    let name = to.split(|c: char| c.is_ascii_whitespace() || c == '<').next().unwrap_or_default();
    found.name = name;
    if source.tools.offers(name) { Ok(len.saturating_add(END.len())) } else { Err(Miss::Never) }
}

/// Matches a parameter's tag or the tool's closing tag directly after the tool's opening tag.
fn match_inside(source: Source<'_, '_>, tool: &str) -> Taken {
    let inner = match lit(source.text, "<") {
        Ok(len) => source.text.get(len..).unwrap_or_default(),
        Err(miss) => return Err(miss),
    };
    if let Some(closing) = inner.strip_prefix('/') {
        let name = lit(closing, tool)?;
        return lit(closing.get(name..).unwrap_or_default(), ">");
    }
    // A parameter that the tool does not have is usually a mistake that the model must be informed of, so the
    // tag still counts as a call. A tool name without an underscore can be an ordinary word in a tag, so for
    // it only known parameters count.
    let strict = source.tools.get(tool).filter(|known| known.lists_parameters() && !tool.contains('_'));
    let plausible = |part: &str| match strict {
        Some(tool) => tool.properties().iter().any(|name| name.starts_with(part)),
        None => part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)),
    };
    let len = up_to(inner, "> \n", plausible)?;
    let name = inner.get(..len).unwrap_or_default();
    let fits = strict.map_or(!name.is_empty() && plausible(name), |tool| tool.has(name));
    if fits { lit(inner.get(len..).unwrap_or_default(), ">") } else { Err(Miss::Never) }
}
