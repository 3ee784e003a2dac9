//! A text drawing of a workflow: the order of steps, the call of each step, and its branches.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;

use crate::plan::{DependencyKind, Kind, Node};
use crate::{FailurePolicy, StepDefinition, Workflow};

/// Maximum length of the description of a step, in characters.
const WIDTH: usize = 72;

/// Draws a workflow. Steps of one row can run concurrently; each row runs after the row above it.
///
/// ```
/// let drawing = windlass_workflow::draw(&windlass_workflow::git_commit());
/// assert!(drawing.contains("┌─ gather"));
/// ```
pub fn draw(workflow: &Workflow) -> String {
    let definition = workflow.definition();
    let mut drawing = format!("{}: {}\n", workflow.name(), definition.description);
    for (name, input) in &definition.input {
        let default = input.default.as_ref().map(|value| format!(" (else {value})")).unwrap_or_default();
        let _ = writeln!(drawing, "input {name}{default}: {}", input.description);
    }
    drawing.push('\n');
    level(&mut drawing, "", &definition.steps, &workflow.plan.nodes);
    if let Some(output) = &definition.output {
        let _ = writeln!(drawing, "output: {}", shorten(&output.to_string()));
    }
    drawing
}

fn level(drawing: &mut String, indent: &str, steps: &[StepDefinition], nodes: &[Arc<Node>]) {
    let rows = rows(nodes);
    let last = rows.values().copied().max().unwrap_or_default();
    for row in 0..=last {
        if row > 0 {
            let _ = writeln!(drawing, "{indent}  ▼");
        }
        for (step, node) in
            steps.iter().zip(nodes).filter(|(_, node)| rows.get(node.name.as_str()) == Some(&row))
        {
            self::step(drawing, indent, step, node);
        }
    }
}

/// Assigns each step to a row below all steps that it depends on.
fn rows(nodes: &[Arc<Node>]) -> BTreeMap<&str, usize> {
    let mut rows: BTreeMap<&str, usize> = nodes.iter().map(|node| (node.name.as_str(), 0)).collect();
    // The graph is acyclic, so the rows settle after at most as many rounds as it has steps.
    for _ in nodes {
        for node in nodes {
            let before = node.needs.iter().map(|need| &need.step).chain(&node.gates);
            let row =
                before.filter_map(|step| rows.get(step.as_str())).map(|row| row.saturating_add(1)).max();
            rows.insert(&node.name, row.unwrap_or_default());
        }
    }
    rows
}

fn step(drawing: &mut String, indent: &str, step: &StepDefinition, node: &Node) {
    let inner = match &node.kind {
        Kind::Group(group) => Some((if group.over.is_some() { &step.body } else { &step.parallel }, group)),
        _ => None,
    };
    let corner = if inner.is_some() { "┌─" } else { "──" };
    let _ = writeln!(drawing, "{indent}{corner} {}  {}", step.name, shorten(&what(step)));
    let side = if inner.is_some() { "│" } else { " " };
    for note in notes(step, node) {
        let _ = writeln!(drawing, "{indent}{side}     {note}");
    }
    if let Some((steps, group)) = inner {
        level(drawing, &format!("{indent}│ "), steps, &group.nodes);
        let _ = writeln!(drawing, "{indent}└─");
    }
}

/// Returns a short description of the step's call.
fn what(step: &StepDefinition) -> String {
    if let Some(tool) = &step.tool {
        return format!("tool {tool} {}", arguments(step));
    }
    if let Some(agent) = &step.agent {
        return format!("agent {agent}: {}", step.task.as_deref().unwrap_or_default());
    }
    if let Some(question) = &step.approval {
        return format!("approval: {question}");
    }
    if let Some(question) = &step.ask {
        return format!("ask: {question}");
    }
    if let Some(condition) = &step.condition {
        return format!("if {}", serde_json::to_string(condition).unwrap_or_default());
    }
    match &step.map {
        Some(list) => {
            let list = list.as_str().map_or_else(|| list.to_string(), str::to_owned);
            let at_once = step.at_once.unwrap_or(1);
            let pace =
                if at_once == 1 { "one after the other".to_owned() } else { format!("{at_once} at once") };
            format!("for each of {list}, {pace}")
        }
        None => match step.at_once {
            Some(count) => format!("{count} at once"),
            None => "all at once".to_owned(),
        },
    }
}

fn arguments(step: &StepDefinition) -> String {
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match step.arguments.get("argv") {
        Some(Value::Array(words)) if step.arguments.len() == 1 => {
            words.iter().map(word).collect::<Vec<_>>().join(" ")
        }
        _ if step.arguments.is_empty() => String::new(),
        _ => Value::Object(step.arguments.clone()).to_string(),
    }
}

fn notes(step: &StepDefinition, node: &Node) -> Vec<String> {
    let mut notes = Vec::new();
    let of = |why: DependencyKind| {
        node.needs.iter().filter(move |need| need.why == why).map(|need| need.step.as_str())
    };
    let mut list = |what: &str, steps: Vec<&str>| {
        if !steps.is_empty() {
            notes.push(format!("{what} {}", steps.join(", ")));
        }
    };
    list("reads", of(DependencyKind::Data).chain(of(DependencyKind::Status)).collect());
    list("after", of(DependencyKind::Order).collect());
    list("only if opened by", node.gates.iter().map(String::as_str).collect());
    list("then", step.then.iter().map(String::as_str).collect());
    list("else", step.otherwise.iter().map(String::as_str).collect());
    for (when, policy) in
        [("when it fails", &step.on_failure), ("when its effects are not known", &step.on_unknown)]
    {
        match policy {
            Some(FailurePolicy::Goto(target)) => notes.push(format!("{when}: {target}")),
            Some(FailurePolicy::Continue) => notes.push(format!("{when}: goes on")),
            Some(FailurePolicy::Stop) => notes.push(format!("{when}: stops")),
            None => {}
        }
    }
    if step.retries > 0 {
        notes.push(format!("retried up to {} times", step.retries));
    }
    if step.repeatable {
        notes.push("may run twice".to_owned());
    }
    if let Some(timeout) = step.timeout_ms {
        notes.push(format!("at most {timeout} ms"));
    }
    notes
}

/// Joins the text into one line and cuts it to the maximum length.
fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= WIDTH {
        return line;
    }
    let kept: String = line.chars().take(WIDTH.saturating_sub(1)).collect();
    format!("{kept}…")
}
