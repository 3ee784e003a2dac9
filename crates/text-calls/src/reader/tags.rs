//! Reader for parameters between tags; writes them as the members of a JSON object.

use windlass_schema::{AcceptedKinds, Need, WantedKind};
use windlass_stream::CallKey;

use super::value::{Read, ValueReader};
use super::{Input, Progress};
use crate::coerce::{Coercion, CoercionOutcome, json, outcome};
use crate::emit::Sink;
use crate::escape::quote;
use crate::form::{CloseRule, Step, Tags};
use crate::matching::{MatchedOpening, Outcome, Source, read_steps};
use crate::tools::Tools;

/// The parameters of one call.
#[derive(Debug)]
pub(crate) struct TagsReader {
    tags: &'static Tags,
    tool: String,
    key: CallKey,
    call_close: Vec<String>,
    /// True if a member has been written.
    filled: bool,
    value: Option<ValueReader>,
    /// True if a value was too long. The JSON object then stays unclosed, so that the incomplete call cannot
    /// run.
    broken: bool,
    /// True if text outside of tags has started; white space then belongs to that text.
    in_words: bool,
}

impl TagsReader {
    pub(crate) fn new(tags: &'static Tags, tool: &str, key: CallKey) -> Self {
        let call_close = tags.call_close.iter().map(|close| close.replace("{tool}", tool)).collect();
        Self {
            tags,
            tool: tool.to_owned(),
            key,
            call_close,
            filled: false,
            value: None,
            broken: false,
            in_words: false,
        }
    }

    pub(crate) fn read(&mut self, input: Input<'_, '_>, sink: &mut Sink<'_>) -> Progress {
        let mut at = 0;
        loop {
            let rest = Input { text: input.text.get(at..).unwrap_or_default(), ..input };
            if let Some(value) = &mut self.value {
                match value.read(rest, &self.call_close, sink) {
                    Read::More(used) => return Progress::More(at.saturating_add(used)),
                    Read::Over(used) => {
                        at = at.saturating_add(used);
                        self.end_value(input.tools, sink);
                    }
                }
                continue;
            }
            match self.read_between(rest, sink) {
                BetweenStep::More(used) => return Progress::More(at.saturating_add(used)),
                BetweenStep::Over(used) => {
                    if !self.broken {
                        sink.delta(self.key, if self.filled { "}" } else { "{}" });
                        sink.end(self.key);
                    }
                    return Progress::Done(at.saturating_add(used));
                }
                BetweenStep::On(used) => at = at.saturating_add(used),
            }
        }
    }

    /// Reads between parameters: white space, the next parameter's tag, or the end of the call.
    fn read_between(&mut self, input: Input<'_, '_>, sink: &mut Sink<'_>) -> BetweenStep {
        let rest = input.text.trim_ascii_start();
        let spaces = input.text.len().saturating_sub(rest.len());
        if self.in_words {
            sink.text(input.text.get(..spaces).unwrap_or_default());
        }
        if rest.is_empty() {
            return BetweenStep::More(spaces);
        }
        let source = Source { text: rest, ended: input.ended, tools: input.tools };
        let mut waits = false;
        for close in &self.call_close {
            if rest.starts_with(close.as_str()) {
                return BetweenStep::Over(spaces.saturating_add(close.len()));
            }
            waits |= close.starts_with(rest);
        }
        match read_steps(self.tags.parameter, source) {
            Outcome::Yes(found) => {
                self.begin_value(found, input.tools, sink);
                return BetweenStep::On(spaces.saturating_add(found.used));
            }
            Outcome::Maybe => waits = true,
            Outcome::No => {}
        }
        if waits && !input.ended {
            return BetweenStep::More(spaces);
        }
        // Text between parameters does not belong to a tag, so it is emitted as text (RULES X1).
        self.in_words = true;
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let begin = self.first_byte();
        let next = rest.as_bytes().get(first..).and_then(|more| memchr::memchr(begin, more));
        let words = next.map_or(rest.len(), |next| next.saturating_add(first));
        sink.text(rest.get(..words).unwrap_or_default());
        BetweenStep::On(spaces.saturating_add(words))
    }

    fn first_byte(&self) -> u8 {
        match self.tags.parameter.first() {
            Some(Step::Lit(literal)) => literal.bytes().next().unwrap_or(b'<'),
            _ => b'<',
        }
    }

    fn begin_value(&mut self, found: MatchedOpening<'_>, tools: &Tools, sink: &mut Sink<'_>) {
        let known =
            tools.get(&self.tool).map(|tool| tool.kinds_of(found.name)).filter(|wanted| wanted.is_known());
        let wanted = match known {
            Some(wanted) if wanted.takes(WantedKind::String) && found.between.contains("string=\"true\"") => {
                AcceptedKinds::UNKNOWN
            }
            Some(wanted) => wanted,
            None => parse_kind(found.between),
        };
        let value = ValueReader::new(self.tags, found.name, wanted, self.key);
        if value.streams() {
            let member = self.member(found.name);
            sink.delta(self.key, &member);
            sink.delta(self.key, "\"");
        }
        self.value = Some(value);
        self.in_words = false;
    }

    fn end_value(&mut self, tools: &Tools, sink: &mut Sink<'_>) {
        let Some(value) = self.value.take() else { return };
        if value.streams() {
            sink.delta(self.key, "\"");
            return;
        }
        if value.overflowed {
            let member = self.member(value.name());
            sink.delta(self.key, &member);
            self.broken = true;
        }
        if self.broken {
            return;
        }
        let tool = tools.get(&self.tool);
        let need = tool.map_or(Need::Optional, |tool| tool.need(value.name()));
        let name = value.name().to_owned();
        let schema = tool.and_then(|known| known.property(&name).map(|schema| (schema, known.schema())));
        let (text, reading) = value.into_reading(need, schema);
        if let Some(outcome) = outcome(&reading) {
            self.note(&name, outcome, sink);
        }
        if let Some(json) = json(reading, &text) {
            let member = self.member(&name);
            sink.delta(self.key, &member);
            sink.delta(self.key, &json);
        }
    }

    fn note(&self, parameter: &str, outcome: CoercionOutcome, sink: &mut Sink<'_>) {
        let (tool, parameter) = (self.tool.clone(), parameter.to_owned());
        sink.ledger.note(Coercion { tool, parameter, outcome });
    }

    /// Returns the beginning of a member, up to its value.
    fn member(&mut self, name: &str) -> String {
        let before = if std::mem::replace(&mut self.filled, true) { ',' } else { '{' };
        format!("{before}{}:", quote(name))
    }
}

enum BetweenStep {
    More(usize),
    On(usize),
    Over(usize),
}

/// Returns the type that the parameter's own tag declares, as in `string="false"` or `type="number"`.
fn parse_kind(attributes: &str) -> AcceptedKinds {
    if attributes.contains("string=\"false\"") {
        return AcceptedKinds::ANY;
    }
    let kind = attributes.split_once("type=\"").and_then(|(_, rest)| rest.split('"').next());
    match kind {
        None | Some("string") => AcceptedKinds::UNKNOWN,
        Some(_) => AcceptedKinds::ANY,
    }
}

/// Returns whether a parameter usually holds whole files or programs, which can contain closing tags.
pub(super) fn is_content_like(rule: CloseRule, name: &str) -> bool {
    const CONTENT: &[&str] = &[
        "content",
        "diff",
        "code",
        "patch",
        "text",
        "file_text",
        "html",
        "markup",
        "old_str",
        "new_str",
        "old_string",
        "new_string",
        "search",
        "replace",
        "body",
        "script",
        "command",
        "result",
        "message",
    ];
    rule == CloseRule::Own && CONTENT.contains(&name)
}
