//! Peers that keep their state between deltas.

use json_stream_parser::JsonStreamParser as Parser;
use jsonmodem::{ParseEvent, ParserOptions, PathComponent, StreamingParser};
use serde_json::Value;

use super::{Observation, Viewer};

/// jsonmodem emits events; this viewer collects the members, as its users would.
pub(super) struct JsonModem {
    parser: StreamingParser,
    members: Vec<(String, String)>,
    has_failed: bool,
}

impl Default for JsonModem {
    fn default() -> Self {
        let parser = StreamingParser::new(ParserOptions::default());
        Self { parser, members: Vec::new(), has_failed: false }
    }
}

impl Viewer for JsonModem {
    fn push(&mut self, delta: &str) -> Option<Observation> {
        self.parser.feed(delta);
        for event in &mut self.parser {
            match event {
                Ok(ParseEvent::String { path, fragment, .. }) => {
                    let Some(PathComponent::Key(key)) = path.first() else { continue };
                    match self.members.last_mut() {
                        Some((open, text)) if open == key => text.push_str(&fragment),
                        _ => self.members.push((key.clone(), fragment)),
                    }
                }
                Ok(_) => {}
                Err(_) => self.has_failed = true,
            }
        }
        let content = self.members.iter().find(|(key, _)| key == "content").map_or(0, |(_, text)| text.len());
        (!self.has_failed).then_some(Observation { keys: self.members.len(), content })
    }

    fn finish(self) -> Option<Value> {
        let members = self.members.into_iter().map(|(key, text)| (key, Value::from(text)));
        (!self.has_failed).then(|| Value::Object(members.collect()))
    }
}

/// json-stream-parser extends a `serde_json` value character by character.
pub(super) struct JsonStreamParser {
    parser: Parser,
    has_failed: bool,
}

impl Default for JsonStreamParser {
    fn default() -> Self {
        Self { parser: Parser::new(), has_failed: false }
    }
}

impl Viewer for JsonStreamParser {
    fn push(&mut self, delta: &str) -> Option<Observation> {
        for character in delta.chars() {
            self.has_failed |= self.parser.add_char(character).is_err();
        }
        (!self.has_failed).then(|| Observation::from_value(self.parser.get_result()))
    }

    fn finish(self) -> Option<Value> {
        (!self.has_failed).then(|| self.parser.get_result().clone())
    }
}
