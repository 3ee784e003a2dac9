//! A row of the table: the measured quantity, its value, and its bounds in PERFORMANCE.

use serde_json::{Value, json};

/// The bounds of a value: its target and its aim.
#[derive(Debug, Clone, Copy)]
enum Goal {
    AtMost(f64, f64),
    AtLeast(f64, f64),
}

/// One measured value, with the id of its target.
#[derive(Debug, Clone)]
pub struct Row {
    id: &'static str,
    what: String,
    unit: &'static str,
    value: Result<f64, String>,
    bound: Option<Goal>,
    note: String,
}

impl Row {
    /// Creates a row with a value, or with the reason why it is missing.
    pub fn new(
        id: &'static str,
        what: impl Into<String>,
        unit: &'static str,
        value: Result<f64, String>,
    ) -> Self {
        Self { id, what: what.into(), unit, value, bound: None, note: String::new() }
    }

    /// Creates a row for a value that cannot be measured yet.
    pub fn missing(id: &'static str, what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::new(id, what, "", Err(reason.into()))
    }

    /// Sets upper bounds: the value must not exceed `target` and should not exceed `aim`.
    pub fn at_most(mut self, target: f64, aim: f64) -> Self {
        self.bound = Some(Goal::AtMost(target, aim));
        self
    }

    /// Sets lower bounds: the value must reach `target` and should reach `aim`.
    pub fn at_least(mut self, target: f64, aim: f64) -> Self {
        self.bound = Some(Goal::AtLeast(target, aim));
        self
    }

    /// Appends a note for the reader.
    pub fn note(mut self, note: impl AsRef<str>) -> Self {
        let note = note.as_ref();
        if !self.note.is_empty() && !note.is_empty() {
            self.note.push_str("; ");
        }
        self.note.push_str(note);
        self
    }

    /// Returns the row as a JSON object.
    pub fn to_json(&self) -> Value {
        let (sign, target, aim) = match self.bound {
            Some(Goal::AtMost(target, aim)) => ("<=", Some(target), Some(aim)),
            Some(Goal::AtLeast(target, aim)) => (">=", Some(target), Some(aim)),
            None => ("", None, None),
        };
        let said = |bound: Option<f64>| bound.map(|bound| format!("{sign} {}", short(bound)));
        let mut note = self.note.clone();
        if let Err(reason) = &self.value {
            note = if note.is_empty() { reason.clone() } else { format!("{reason}; {note}") };
        }
        json!({
            "id": self.id,
            "what": self.what,
            "value": self.value.as_ref().ok(),
            "unit": self.unit,
            "target": said(target),
            "aim": said(aim),
            "reached": self.verdict(),
            "note": note,
        })
    }

    fn verdict(&self) -> Option<&'static str> {
        let value = *self.value.as_ref().ok()?;
        let (is_aim, is_target) = match self.bound? {
            Goal::AtMost(target, aim) => (value <= aim, value <= target),
            Goal::AtLeast(target, aim) => (value >= aim, value >= target),
        };
        Some(match (is_aim, is_target) {
            (true, _) => "aim",
            (false, true) => "yes",
            (false, false) => "no",
        })
    }
}

/// Formats a bound without trailing zeros.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
