//! Converts arguments that arrive value by value into the text that other formats stream.

use std::collections::HashSet;

use serde_json::Value;

use crate::event::PartialArg;
use crate::path::{Step, steps};

/// A writer that appends the text of a call's arguments while their values arrive, each with its path.
///
/// The values have to arrive in the order of the text, because written text is never changed. Otherwise the
/// writer stops: the text stays incomplete, and the call never runs.
#[derive(Debug, Default)]
pub(crate) struct ArgumentWriter {
    /// The open containers, from the outermost, which is the arguments object.
    open: Vec<Container>,
    /// The path of the open string.
    text: Option<Vec<Step>>,
    broken: bool,
}

#[derive(Debug)]
struct Container {
    /// The step from its parent to this container.
    step: Option<Step>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Object { keys: HashSet<String> },
    List { items: usize },
}

impl Kind {
    /// Returns the kind of container that a step leads into.
    fn from_step(step: &Step) -> Self {
        match step {
            Step::Key(_) => Self::Object { keys: HashSet::new() },
            Step::Index(_) => Self::List { items: 0 },
        }
    }

    fn brackets(&self) -> (char, char) {
        match self {
            Self::Object { .. } => ('{', '}'),
            Self::List { .. } => ('[', ']'),
        }
    }
}

impl ArgumentWriter {
    /// Writes one value, or a fragment of a string, and returns the appended text.
    pub(crate) fn push(&mut self, value: &PartialArg<'_>) -> String {
        let mut added = String::new();
        if !self.broken && self.write(value, &mut added).is_none() {
            self.broken = true;
        }
        added
    }

    /// Closes all open containers and returns the appended text. A string that is still open was cut, so it
    /// stays open.
    pub(crate) fn finish(mut self) -> String {
        let mut added = String::new();
        if !self.broken && self.text.is_none() {
            self.close_to(0, &mut added);
        }
        added
    }

    fn write(&mut self, value: &PartialArg<'_>, added: &mut String) -> Option<()> {
        let path = steps(&value.json_path.0)?;
        let grows = value.will_continue == Some(true);
        if self.text.as_ref() == Some(&path) {
            added.push_str(&escape_inside(value.string_value.as_ref().map_or("", |text| &text.0)));
        } else {
            if self.text.take().is_some() {
                added.push('"');
            }
            self.open(&path, added)?;
            match (&value.string_value, value.number_value, value.bool_value) {
                (Some(text), _, _) => {
                    added.push('"');
                    added.push_str(&escape_inside(&text.0));
                    self.text = Some(path);
                }
                (None, Some(number), _) => added.push_str(number.get()),
                (None, None, Some(flag)) => added.push_str(if flag { "true" } else { "false" }),
                (None, None, None) => added.push_str("null"),
            }
        }
        if !grows && self.text.take().is_some() {
            added.push('"');
        }
        Some(())
    }

    /// Opens and closes containers until the value at this path can be written, and writes its key.
    fn open(&mut self, path: &[Step], added: &mut String) -> Option<()> {
        let (leaf, parents) = path.split_last()?;
        if self.open.is_empty() {
            let Step::Key(_) = path.first()? else { return None };
            self.begin(None, path.first()?, added);
        }
        let inner = self.open.iter().skip(1).map(|container| container.step.as_ref());
        let common = inner.zip(parents).take_while(|(open, step)| *open == Some(*step)).count();
        self.close_to(common.saturating_add(1), added);
        let next = path.iter().skip(common.saturating_add(1));
        for (step, below) in parents.iter().skip(common).zip(next) {
            self.member(step, added)?;
            self.begin(Some(step.clone()), below, added);
        }
        self.member(leaf, added)
    }

    fn begin(&mut self, step: Option<Step>, below: &Step, added: &mut String) {
        let kind = Kind::from_step(below);
        added.push(kind.brackets().0);
        self.open.push(Container { step, kind });
    }

    /// Writes the separator and the key of a member of the innermost container. Returns `None` if the member
    /// cannot follow there.
    fn member(&mut self, step: &Step, added: &mut String) -> Option<()> {
        match (&mut self.open.last_mut()?.kind, step) {
            (Kind::Object { keys }, Step::Key(key)) => {
                if !keys.is_empty() {
                    added.push(',');
                }
                if !keys.insert(key.clone()) {
                    return None;
                }
                added.push_str(&Value::from(key.as_str()).to_string());
                added.push(':');
                Some(())
            }
            (Kind::List { items }, Step::Index(index)) if index == items => {
                if *items > 0 {
                    added.push(',');
                }
                *items = items.saturating_add(1);
                Some(())
            }
            _ => None,
        }
    }

    fn close_to(&mut self, depth: usize, added: &mut String) {
        for container in self.open.drain(depth.min(self.open.len())..).rev() {
            added.push(container.kind.brackets().1);
        }
    }
}

/// Escapes a string for JSON, without the quotes.
fn escape_inside(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
