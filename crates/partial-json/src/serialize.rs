//! Serialisation of a node with any serde serializer, without an intermediate value.

use serde_core::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::node::{Completeness, Kind, Node};
use crate::snapshot::Snapshot;

/// Serialises like [`Snapshot::to_value`], without the copy; `null` if no value has started.
///
/// ```
/// use windlass_partial_json::Parser;
///
/// let mut parser = Parser::new();
/// parser.push(r#"{"path": "a.rs", "lines": [1, 2"#)?;
/// assert_eq!(serde_json::to_string(&parser.snapshot())?, r#"{"path":"a.rs","lines":[1]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Serialize for Snapshot<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.root() {
            Some(root) => root.serialize(serializer),
            None => serializer.serialize_unit(),
        }
    }
}

/// Serialises the value as far as it has arrived. Omits pending values inside it; a pending value itself
/// becomes `null`.
///
/// The recursion depth of the serializer is bounded by [`JsonLimits`](crate::JsonLimits). A 64-bit integer keeps all
/// digits; any other number becomes the nearest 64-bit float, or `null` if it is out of range.
impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.completeness() == Completeness::Pending {
            return serializer.serialize_unit();
        }
        match self.kind() {
            Kind::Null => serializer.serialize_unit(),
            Kind::Bool => serializer.serialize_bool(self.as_bool().unwrap_or_default()),
            Kind::Number => {
                crate::value::number(self.number_text().unwrap_or_default()).serialize(serializer)
            }
            Kind::String => serializer.serialize_str(self.as_str().unwrap_or_default()),
            Kind::Array => {
                let known = || self.elements().filter(|element| is_known(*element));
                let mut elements = serializer.serialize_seq(Some(known().count()))?;
                for element in known() {
                    elements.serialize_element(&element)?;
                }
                elements.end()
            }
            Kind::Object => {
                let known = || self.members().filter(|(_, member)| is_known(*member));
                let mut members = serializer.serialize_map(Some(known().count()))?;
                for (key, member) in known() {
                    members.serialize_entry(key, &member)?;
                }
                members.end()
            }
        }
    }
}

fn is_known(node: Node<'_>) -> bool {
    node.completeness() != Completeness::Pending
}
