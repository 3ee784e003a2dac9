//! An owned copy of a snapshot, for comparison with a later one.

use windlass_partial_json::{Completeness, Kind, Node};

/// A node and its children.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ObservedNode {
    kind: Kind,
    completeness: Completeness,
    text: Option<String>,
    truth: Option<bool>,
    children: Vec<(String, Self)>,
}

impl ObservedNode {
    pub(super) fn observe(node: Node<'_>) -> Self {
        let members = node.members().map(|(key, child)| (key.to_owned(), Self::observe(child)));
        let elements = node.elements().map(|child| (String::new(), Self::observe(child)));
        let children: Vec<_> = members.chain(elements).collect();
        assert_eq!(children.len(), node.len(), "the count of children is not their number");
        Self {
            kind: node.kind(),
            completeness: node.completeness(),
            text: node.as_str().or(node.number_text()).map(str::to_owned),
            truth: node.as_bool(),
            children,
        }
    }

    pub(super) fn assert_grew_into(&self, now: &Self) {
        assert_eq!(self.kind, now.kind, "a type changed");
        if self.completeness == Completeness::Complete {
            assert_eq!(self, now, "a finished value changed");
            return;
        }
        if self.completeness == Completeness::Growing {
            assert_ne!(now.completeness, Completeness::Pending, "a growing value became pending");
            let (before, after) = (self.text.as_deref().unwrap_or(""), now.text.as_deref().unwrap_or(""));
            assert!(after.starts_with(before), "{before:?} is not a prefix of {after:?}");
        }
        assert!(self.children.len() <= now.children.len(), "a child vanished");
        let last = self.children.len().saturating_sub(1);
        for (at, ((key, before), (key_now, after))) in self.children.iter().zip(&now.children).enumerate() {
            assert_eq!(key, key_now, "a key changed");
            if at == last {
                before.assert_grew_into(after);
            } else {
                assert_eq!(before, after, "a value before the last changed");
            }
        }
    }
}
