//! Conversion of a script for a model that writes its calls as text.

use serde_json::json;
use windlass_protocol::Arguments;
use windlass_text_calls::{Dialect, render_call};

use crate::script::{Script, ScriptCall, ScriptPart, Turn};

impl Script {
    /// Returns the script with calls as text in this dialect. A call whose arguments are not an object is
    /// left out.
    ///
    /// ```
    /// use windlass_mock::script::{Script, ScriptPart};
    /// use windlass_text_calls::Dialect;
    /// let script = Script::parse(r#"{"turns": [{"steps": [{"call": {"name": "list", "arguments": {"path": "a"}}}]}]}"#)?;
    /// let ScriptPart::Text(words) = &script.to_text_calls(Dialect::Roo).turns[0].steps[0] else { panic!() };
    /// assert_eq!(words, "<list>\n<path>a</path>\n</list>");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn to_text_calls(&self, dialect: Dialect) -> Self {
        let said = |turns: &[Turn]| turns.iter().map(|turn| turn_to_text(turn, dialect)).collect();
        let parts = self.parts.iter().map(|(words, turns)| (words.clone(), said(turns))).collect();
        Self { turns: said(&self.turns), fallback: self.fallback.clone(), denied: self.denied.clone(), parts }
    }
}

fn turn_to_text(turn: &Turn, dialect: Dialect) -> Turn {
    let (mut steps, mut words, mut calls) = (Vec::new(), String::new(), Vec::new());
    for step in &turn.steps {
        match step {
            ScriptPart::Reasoning(_) => steps.push(step.clone()),
            ScriptPart::Text(text) => words.push_str(text),
            ScriptPart::Call(call) => calls.extend(call_to_text(call, dialect)),
        }
    }
    let has_calls = !calls.is_empty();
    if dialect == Dialect::Structured {
        let content = json!(words);
        words = format!(
            r#"{{"content": {content}, "toolCalls": [{}], "needsMoreWork": {has_calls}}}"#,
            calls.join(", ")
        );
    } else if has_calls {
        if !words.is_empty() {
            words.push('\n');
        }
        words.push_str(&calls.join("\n"));
    }
    if !words.is_empty() {
        steps.push(ScriptPart::Text(words));
    }
    let finish = turn.finish.clone().filter(|word| !matches!(word.as_str(), "tool_calls" | "tool_use"));
    Turn { steps, finish, ..turn.clone() }
}

fn call_to_text(call: &ScriptCall, dialect: Dialect) -> Option<String> {
    let arguments = Arguments::parse(call.arguments_text()).ok()?;
    Some(match dialect {
        Dialect::Structured => {
            let name = json!(call.name);
            format!(r#"{{"name": {name}, "arguments": {}}}"#, arguments.as_str().trim())
        }
        dialect => render_call(dialect, &call.name, &arguments),
    })
}
