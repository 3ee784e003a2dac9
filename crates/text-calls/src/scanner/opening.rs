//! Recognition of the beginnings of calls, thoughts and template marks.

use windlass_stream::Chunk;

use super::{Flow, SPACE, Scanner, State};
use crate::dialect::first_bytes;
use crate::form::{Body, Form, Place};
use crate::matching::{MatchedOpening, Outcome, Source, read_steps};
use crate::prose::Spot;
use crate::reader::{ArgumentsReader, CodeReader, EnvelopeReader, LiteralReader, Reader, TagsReader};
use crate::tools::Tools;
use crate::{Dialect, Reasoning};

/// The kind of text that a form starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Thoughts,
    Call,
    /// A mark of the model's chat template.
    Mark,
}

/// The forms of a scanner, indexed by their first byte.
#[derive(Debug)]
pub(super) struct Forms {
    all: Vec<(Kind, &'static Form)>,
    by_byte: Vec<(u8, Vec<(Kind, &'static Form)>)>,
}

impl Forms {
    /// Collects the forms of a dialect. Omits call forms if no tool is offered. The template marks of a named
    /// dialect are always recognised, because they are never prose.
    pub(super) fn new(dialect: Dialect, tools: &Tools) -> Self {
        let mut all: Vec<_> = dialect.thoughts().iter().map(|form| (Kind::Thoughts, form)).collect();
        for form in dialect.forms(tools.takes_any()) {
            if matches!(form.body, Body::Drop) {
                all.push((Kind::Mark, form));
            } else if !tools.is_empty() {
                all.push((Kind::Call, form));
            }
        }
        let mut by_byte: Vec<(u8, Vec<(Kind, &'static Form)>)> = Vec::new();
        for &(kind, form) in &all {
            first_bytes(form, |byte| {
                let known = by_byte.iter_mut().find(|(other, _)| *other == byte);
                match known {
                    Some((_, forms)) if forms.iter().any(|(_, other)| std::ptr::eq(*other, form)) => {}
                    Some((_, forms)) => forms.push((kind, form)),
                    None => by_byte.push((byte, vec![(kind, form)])),
                }
            });
        }
        Self { all, by_byte }
    }

    /// Returns the bytes with which a form can begin inside the text.
    pub(super) fn bytes(&self) -> impl Iterator<Item = u8> {
        self.by_byte.iter().map(|(byte, _)| *byte)
    }

    /// Returns the forms that can begin with this text, in the order in which they are tried.
    fn candidates(&self, text: &str, spot: Spot) -> &[(Kind, &'static Form)] {
        if spot.first {
            return &self.all;
        }
        let byte = text.bytes().next();
        self.by_byte.iter().find(|(first, _)| Some(*first) == byte).map_or(&[], |(_, forms)| forms)
    }
}

/// The result of looking for the beginning of a form.
pub(super) enum Opening<'t> {
    No,
    Maybe,
    Yes(Kind, &'static Form, MatchedOpening<'t>),
}

/// Returns the marks that end thoughts of these forms.
pub(super) fn closes(forms: &'static [Form]) -> impl Iterator<Item = &'static str> {
    let closes = forms.iter().filter_map(|form| match form.body {
        Body::Reasoning(closes) => Some(closes),
        _ => None,
    });
    closes.flatten().copied()
}

/// Returns the position after a call or inside thoughts, where a call can begin anywhere in the line.
pub(super) fn spot_after_call() -> Spot {
    Spot { at: 0, line_blank: true, first: false, open: true }
}

/// Looks for a form that begins with this text. The first form that fits wins; a form that may still fit is
/// waited for, so that the result does not depend on how the text is split.
pub(super) fn open<'t>(scanner: &mut Scanner, text: &'t str, spot: Spot, ended: bool) -> Opening<'t> {
    if !spot.open {
        return Opening::No;
    }
    let source = Source { text, ended, tools: &scanner.tools };
    for (kind, form) in scanner.forms.candidates(text, spot) {
        let fits = match form.place {
            Place::Anywhere => true,
            Place::Line => spot.line_blank,
            Place::Start => spot.first,
        };
        if !fits {
            continue;
        }
        match read_steps(form.steps, source) {
            Outcome::Maybe => return Opening::Maybe,
            Outcome::Yes(found) if *kind != Kind::Call || scanner.ledger.admits_call() => {
                return Opening::Yes(*kind, form, found);
            }
            Outcome::No | Outcome::Yes(_) => {}
        }
    }
    Opening::No
}

/// Starts the body of a form after its beginning has been matched.
pub(super) fn begin(
    scanner: &mut Scanner,
    form: &'static Form,
    (name, source): (&str, &str),
    out: &mut Vec<Chunk>,
) {
    let reader = match &form.body {
        Body::Drop => {
            scanner.prose.begin_answer();
            scanner.state = State::Prose;
            return;
        }
        Body::Reasoning(_) => {
            if scanner.reasoning == Reasoning::Keep {
                scanner.sink(out).text(source);
            }
            scanner.state = State::Thoughts { closes: std::slice::from_ref(form), fresh: false };
            return;
        }
        Body::Envelope(shape) => Reader::Envelope(Box::new(EnvelopeReader::new(*shape, source))),
        Body::Arguments => Reader::Arguments(ArgumentsReader::new(scanner.sink(out).start(name))),
        Body::Literal => Reader::Literal(LiteralReader::new(scanner.sink(out).start(name))),
        Body::Tags(tags) => {
            let key = scanner.sink(out).start(name);
            Reader::Tags(Box::new(TagsReader::new(tags, name, key)))
        }
        Body::Python => {
            let key = scanner.sink(out).start(name);
            Reader::Code(CodeReader::new(key, name, &scanner.tools))
        }
    };
    scanner.prose.begin_line();
    scanner.state = State::Call(reader, form.closers);
}

/// Skips an opening mark that the model repeats although the prompt has already opened the thoughts.
pub(super) fn skip_reopening(scanner: &mut Scanner, text: &str, ended: bool) -> Option<Flow> {
    let start = text.trim_ascii_start();
    let spaces = text.len().saturating_sub(start.len());
    if start.is_empty() && spaces <= SPACE {
        return (!ended).then_some(Flow::Wait(0));
    }
    let source = Source { text: start, ended, tools: &scanner.tools };
    let mut waits = false;
    for (kind, form) in &scanner.forms.all {
        if spaces > SPACE || *kind != Kind::Thoughts {
            continue;
        }
        match read_steps(form.steps, source) {
            Outcome::No => {}
            Outcome::Maybe => waits = true,
            Outcome::Yes(found) => {
                let used = spaces.saturating_add(found.used);
                if let State::Thoughts { fresh, .. } = &mut scanner.state {
                    *fresh = false;
                }
                return Some(Flow::On(used));
            }
        }
    }
    if waits {
        return Some(Flow::Wait(0));
    }
    if let State::Thoughts { fresh, .. } = &mut scanner.state {
        *fresh = false;
    }
    None
}
