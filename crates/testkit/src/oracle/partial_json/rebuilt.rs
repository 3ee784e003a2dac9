//! Reconstructs a value from events only.

use serde_json::{Map, Value};
use windlass_partial_json::{Event, Kind};

/// The value that the events so far describe.
#[derive(Debug, Default)]
pub(super) struct Rebuilt {
    root: Option<Value>,
}

impl Rebuilt {
    pub(super) fn value(&self) -> Option<Value> {
        self.root.clone()
    }

    pub(super) fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Began { path, kind } => match kind {
                Kind::String => self.insert(path, Value::from("")),
                Kind::Array => self.insert(path, Value::Array(Vec::new())),
                Kind::Object => self.insert(path, Map::new().into()),
                Kind::Null | Kind::Bool | Kind::Number => {}
            },
            Event::Grew { path, text } => {
                let place = self.place(path).expect("a growing value has begun");
                let grown = format!("{}{text}", place.as_str().expect("a growing value is a string"));
                *place = Value::from(grown);
            }
            Event::Complete { path, value } => {
                let told = value.to_value().expect("a complete node has a value");
                if matches!(value.kind(), Kind::Null | Kind::Bool | Kind::Number) {
                    self.insert(path, told);
                } else {
                    assert_eq!(
                        self.place(path).as_deref(),
                        Some(&told),
                        "the events before describe another value"
                    );
                }
            }
            Event::Repeated { path } => {
                let (parent, key) = self.parent(path);
                let removed = parent.as_object_mut().and_then(|members| members.remove(&key));
                assert!(removed.is_some(), "{path} was not there before it was repeated");
            }
            other => unreachable!("no value is rebuilt from {other:?}"),
        }
    }

    fn place(&mut self, path: &str) -> Option<&mut Value> {
        self.root.as_mut()?.pointer_mut(path)
    }

    fn parent(&mut self, path: &str) -> (&mut Value, String) {
        let (parent, token) = path.rsplit_once('/').expect("a child has a path");
        let key = token.replace("~1", "/").replace("~0", "~");
        (self.place(parent).expect("a child begins after its parent"), key)
    }

    fn insert(&mut self, path: &str, value: Value) {
        if path.is_empty() {
            assert!(self.root.is_none(), "the top-level value began twice");
            self.root = Some(value);
            return;
        }
        let (parent, key) = self.parent(path);
        match parent {
            Value::Array(elements) => {
                assert_eq!(key, elements.len().to_string(), "an element out of order");
                elements.push(value);
            }
            Value::Object(members) => {
                assert!(members.insert(key, value).is_none(), "{path} began twice");
            }
            other => assert!(other.is_array(), "{path} begins in something that holds nothing"),
        }
    }
}
