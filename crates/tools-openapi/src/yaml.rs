//! YAML documents: the subset that has the meaning of JSON, in the core schema of YAML 1.2.
//!
//! Aliases are refused, because a few lines of them can expand to billions of values. Tags and several
//! documents are refused too.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::Number;

use crate::OpenApiError;
use crate::node::{MAX_DEPTH, MAX_NODES, Members, Node};
use crate::text::one_line;

/// A list or an object whose end was not read yet.
enum Open {
    List(Vec<Node>),
    Map(Members, Option<String>),
}

/// The values that are still open, and the finished document.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
    count: usize,
}

/// Parses a YAML document.
pub(crate) fn parse(text: &str) -> Result<Node, OpenApiError> {
    let mut builder = Builder::default();
    let mut documents = 0_usize;
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| syntax(error.marker().line(), &one_line(error.info(), 200)))?;
        if matches!(event, Event::DocumentStart(_)) {
            documents = documents.saturating_add(1);
        }
        let problem = if documents > 1 { Err("a second document".to_owned()) } else { builder.push(event) };
        problem.map_err(|what| syntax(span.start.line(), &format!("{what} is not supported")))?;
    }
    builder.root.ok_or_else(|| syntax(1, "it is empty"))
}

fn syntax(line: usize, message: &str) -> OpenApiError {
    OpenApiError::Syntax { format: "YAML", message: format!("line {line}: {message}") }
}

impl Builder {
    /// Adds an event. The error names the unsupported feature.
    fn push(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Alias(_) => Err("an alias (`*name`)".to_owned()),
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => Err("a tag (`!name`)".to_owned()),
            Event::Scalar(text, style, ..) => self.scalar(text.into_owned(), style),
            Event::SequenceStart(..) => self.begin(Open::List(Vec::new())),
            Event::MappingStart(..) => self.begin(Open::Map(Members::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List(items)) => self.add(Node::List(items)),
                Some(Open::Map(members, _)) => self.add(Node::map(members)),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn begin(&mut self, open: Open) -> Result<(), String> {
        if matches!(self.open.last(), Some(Open::Map(_, None))) {
            return Err("a key that is not a word".to_owned());
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("a value below {MAX_DEPTH} others"));
        }
        self.open.push(open);
        Ok(())
    }

    fn scalar(&mut self, text: String, style: ScalarStyle) -> Result<(), String> {
        if let Some(Open::Map(members, key @ None)) = self.open.last_mut() {
            if members.contains_key(&text) {
                return Err(format!("the second key {:?} of an object", one_line(&text, 64)));
            }
            *key = Some(text);
            return Ok(());
        }
        self.add(if style == ScalarStyle::Plain { plain(text) } else { Node::Text(text) })
    }

    fn add(&mut self, node: Node) -> Result<(), String> {
        self.count = self.count.saturating_add(1);
        if self.count > MAX_NODES {
            return Err(format!("a document of more than {MAX_NODES} values"));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List(items)) => items.push(node),
            Some(Open::Map(members, key)) => {
                if let Some(key) = key.take() {
                    members.insert(key, node);
                }
            }
        }
        Ok(())
    }
}

/// Returns the value of a scalar without quotes.
fn plain(text: String) -> Node {
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => return Node::Null,
        "true" | "True" | "TRUE" => return Node::Bool(true),
        "false" | "False" | "FALSE" => return Node::Bool(false),
        _ => {}
    }
    number(&text).map_or(Node::Text(text), Node::Number)
}

fn number(text: &str) -> Option<Number> {
    let radix = |digits: &str, radix| u64::from_str_radix(digits, radix).ok().map(Number::from);
    if let Some(digits) = text.strip_prefix("0x") {
        return digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| radix(digits, 16)).flatten();
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| radix(digits, 8)).flatten();
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let starts_well = unsigned.bytes().next().is_some_and(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_numeric = unsigned.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    if !starts_well || !is_numeric || !unsigned.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        let whole = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
        if let Ok(whole) = whole {
            return Some(whole);
        }
    }
    text.parse::<f64>().ok().and_then(Number::from_f64)
}

#[cfg(test)]
mod tests;
