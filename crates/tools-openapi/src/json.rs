//! JSON documents, with a limit on the number of values, and without repeated keys.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use crate::OpenApiError;
use crate::node::{MAX_NODES, Members, Node};
use crate::text::one_line;

/// Parses a JSON document. `serde_json` limits its depth.
pub(crate) fn parse(text: &str) -> Result<Node, OpenApiError> {
    let left = Cell::new(MAX_NODES);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let node = NodeSeed { left: &left }.deserialize(&mut deserializer);
    let node = node.and_then(|node| deserializer.end().map(|()| node));
    node.map_err(|error| OpenApiError::Syntax { format: "JSON", message: one_line(&error.to_string(), 300) })
}

/// The reader of one value, with the number of values that are still allowed.
#[derive(Clone, Copy)]
struct NodeSeed<'b> {
    left: &'b Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for NodeSeed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => return Err(D::Error::custom(format!("it has more than {MAX_NODES} values"))),
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NodeSeed<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(Number::from_f64(number).map_or(Node::Null, Node::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut members = Members::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(self)?;
            if members.contains_key(&key) {
                return Err(A::Error::custom(format!("the key {:?} occurs twice", one_line(&key, 64))));
            }
            members.insert(key, value);
        }
        Ok(Node::map(members))
    }
}
