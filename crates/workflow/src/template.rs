//! Templates: texts and values with paths that are resolved against the state of a run, such as `{{
//! steps.gather.output }}`. Paths are the only expressions, so a workflow file cannot contain code.

use std::fmt;

use serde_json::{Map, Value};

use crate::PathError;

/// Maximum nesting depth of a value.
const MAX_DEPTH: usize = 32;

/// A path into the state of a run: names and list indexes separated by dots.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path {
    segments: Vec<String>,
}

/// A value whose paths are resolved when its step starts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Filling {
    /// A value without paths.
    Plain(Value),
    /// A single path: resolves to the value with its type.
    Whole(Path),
    /// Text with paths in it: each value is converted to text.
    Text(Vec<Piece>),
    List(Vec<Element>),
    Object(Vec<(String, Self)>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Words(String),
    Path(Path),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Element {
    One(Filling),
    /// Inserts the elements of the list at this path.
    Spread(Path),
}

/// Resolves a path, or returns `None` if it does not lead to a value.
pub(crate) type Look<'a> = &'a dyn Fn(&Path) -> Option<Value>;

impl Path {
    fn parse(text: &str) -> Result<Self, PathError> {
        let segments: Vec<String> = text.trim().split('.').map(|name| name.trim().to_owned()).collect();
        let is_name = |name: &String| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        };
        let has_root = match segments.first().map(String::as_str) {
            Some("steps") => segments.len() > 1,
            Some("input" | "item" | "index") => true,
            _ => false,
        };
        if has_root && segments.iter().all(is_name) {
            Ok(Self { segments })
        } else {
            Err(PathError::NoPath { text: text.trim().to_owned() })
        }
    }

    pub(crate) fn root(&self) -> &str {
        self.segments.first().map_or("", String::as_str)
    }

    /// Returns the name of the step that the path reads, and the rest of the path.
    pub(crate) fn step(&self) -> Option<(&str, &[String])> {
        match self.segments.as_slice() {
            [root, name, rest @ ..] if root == "steps" => Some((name, rest)),
            _ => None,
        }
    }

    /// Returns the path without its root.
    pub(crate) fn rest(&self) -> &[String] {
        self.segments.get(1..).unwrap_or_default()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.segments.join("."))
    }
}

/// Follows names and list indexes into a value.
pub(crate) fn follow(value: &Value, path: &[String]) -> Option<Value> {
    let found = path.iter().try_fold(value, |value, name| match value {
        Value::Object(object) => object.get(name),
        Value::Array(list) => list.get(name.parse::<usize>().ok()?),
        _ => None,
    });
    found.cloned()
}

/// Converts a value to text inside a template: text as it is, any other value as JSON.
pub(crate) fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Filling {
    /// Parses the paths in a value.
    pub(crate) fn parse(value: &Value) -> Result<Self, PathError> {
        Self::parse_within(value, MAX_DEPTH)
    }

    fn parse_within(value: &Value, depth: usize) -> Result<Self, PathError> {
        let depth = depth.checked_sub(1).ok_or(PathError::TooDeep)?;
        Ok(match value {
            Value::String(text) => Self::text(text)?,
            Value::Array(list) => {
                let element = |value: &Value| Self::element(value, depth);
                Self::from_list(list.iter().map(element).collect::<Result<_, _>>()?)
            }
            Value::Object(object) => {
                let member =
                    |(name, value): (&String, &Value)| Ok((name.clone(), Self::parse_within(value, depth)?));
                Self::from_object(object.iter().map(member).collect::<Result<_, PathError>>()?)
            }
            plain => Self::Plain(plain.clone()),
        })
    }

    /// Creates a list. A list without paths is a plain value, which takes over the values of its elements, so that
    /// nested lists are not copied once for each level.
    fn from_list(elements: Vec<Element>) -> Self {
        let is_plain = |element: &Element| matches!(element, Element::One(Self::Plain(_)));
        if !elements.iter().all(is_plain) {
            return Self::List(elements);
        }
        let value = |element| match element {
            Element::One(Self::Plain(value)) => Some(value),
            _ => None,
        };
        Self::Plain(Value::Array(elements.into_iter().filter_map(value).collect()))
    }

    /// Creates an object, like [`from_list`](Self::from_list).
    fn from_object(members: Vec<(String, Self)>) -> Self {
        if !members.iter().all(|(_, filling)| matches!(filling, Self::Plain(_))) {
            return Self::Object(members);
        }
        let value = |(name, filling)| match filling {
            Self::Plain(value) => Some((name, value)),
            _ => None,
        };
        Self::Plain(Value::Object(members.into_iter().filter_map(value).collect()))
    }

    fn element(value: &Value, depth: usize) -> Result<Element, PathError> {
        let spread = value
            .as_str()
            .and_then(|text| text.trim().strip_prefix("{{")?.strip_suffix("}}")?.trim().strip_suffix("..."))
            .filter(|inner| !inner.contains("}}"));
        match spread {
            Some(path) => Path::parse(path).map(Element::Spread),
            None => Self::parse_within(value, depth).map(Element::One),
        }
    }

    /// Parses the paths in a text.
    pub(crate) fn text(text: &str) -> Result<Self, PathError> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((words, behind)) = rest.split_once("{{") {
            let (path, after) = behind.split_once("}}").ok_or(PathError::Open)?;
            if !words.is_empty() {
                pieces.push(Piece::Words(words.to_owned()));
            }
            pieces.push(Piece::Path(Path::parse(path)?));
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Words(rest.to_owned()));
        }
        Ok(match pieces.as_slice() {
            [Piece::Path(path)] => Self::Whole(path.clone()),
            [] | [Piece::Words(_)] => Self::Plain(Value::String(text.to_owned())),
            _ => Self::Text(pieces),
        })
    }

    /// Calls `tell` with every path in the value.
    pub(crate) fn each_path(&self, tell: &mut dyn FnMut(&Path)) {
        match self {
            Self::Plain(_) => {}
            Self::Whole(path) => tell(path),
            Self::Text(pieces) => {
                for piece in pieces {
                    if let Piece::Path(path) = piece {
                        tell(path);
                    }
                }
            }
            Self::List(elements) => {
                for element in elements {
                    match element {
                        Element::One(filling) => filling.each_path(tell),
                        Element::Spread(path) => tell(path),
                    }
                }
            }
            Self::Object(members) => members.iter().for_each(|(_, filling)| filling.each_path(tell)),
        }
    }

    /// Returns the value with all paths resolved.
    pub(crate) fn fill(&self, look: Look<'_>) -> Result<Value, PathError> {
        let find = |path: &Path| look(path).ok_or_else(|| PathError::Missing { path: path.to_string() });
        match self {
            Self::Plain(value) => Ok(value.clone()),
            Self::Whole(path) => find(path),
            Self::Text(pieces) => {
                let mut text = String::new();
                for piece in pieces {
                    match piece {
                        Piece::Words(words) => text.push_str(words),
                        Piece::Path(path) => text.push_str(&as_text(&find(path)?)),
                    }
                }
                Ok(Value::String(text))
            }
            Self::List(elements) => {
                let mut list = Vec::with_capacity(elements.len());
                for element in elements {
                    match element {
                        Element::One(filling) => list.push(filling.fill(look)?),
                        Element::Spread(path) => match find(path)? {
                            Value::Array(values) => list.extend(values),
                            _ => return Err(PathError::NoList { path: path.to_string() }),
                        },
                    }
                }
                Ok(Value::Array(list))
            }
            Self::Object(members) => {
                let fill = |(name, filling): &(String, Self)| Ok((name.clone(), filling.fill(look)?));
                Ok(Value::Object(members.iter().map(fill).collect::<Result<Map<_, _>, PathError>>()?))
            }
        }
    }
}

#[cfg(test)]
mod tests;
