//! Converts values of nested marked tags into JSON by the schema.

use serde_json::Value;
use windlass_schema::{AcceptedKinds, Need, WantedKind, resolve};

use crate::coerce;
use crate::escape::quote;

/// Maximum nesting depth of tags.
const DEPTH: usize = 32;

/// Returns the JSON of a value that consists of tags, if the schema accepts an object or an array there.
pub(super) fn to_json(mark: &str, text: &str, schema: &Value, root: &Value) -> Option<String> {
    let opening = format!("{mark}<");
    text.trim_start().starts_with(&opening).then(|| read(mark, text, schema, root, DEPTH)).flatten()
}

fn read(mark: &str, text: &str, schema: &Value, root: &Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let wanted = AcceptedKinds::from_schema(schema, root);
    let children = children(mark, text)?;
    let (takes_list, takes_object) = (wanted.takes(WantedKind::Array), wanted.takes(WantedKind::Object));
    let is_list = takes_list && (!takes_object || children.iter().all(|(name, _)| *name == "item"));
    if !is_list && !takes_object {
        return None;
    }
    let mut members = Vec::with_capacity(children.len());
    for (name, inner) in children {
        let child = child_schema(schema, root, name, is_list);
        let json = value(mark, inner, child, root, depth);
        members.push(if is_list { json } else { format!("{}:{json}", quote(name)) });
    }
    let members = members.join(",");
    Some(if is_list { format!("[{members}]") } else { format!("{{{members}}}") })
}

fn value(mark: &str, text: &str, schema: Option<&Value>, root: &Value, depth: usize) -> String {
    let opening = format!("{mark}<");
    let Some(schema) = schema else { return quote(text) };
    if text.trim_start().starts_with(&opening)
        && let Some(json) = read(mark, text, schema, root, depth)
    {
        return json;
    }
    let reading = coerce::read(text, AcceptedKinds::from_schema(schema, root), Need::Required);
    coerce::json(reading, text).unwrap_or_else(|| quote(text))
}

/// Returns the tags of a text with their contents, or `None` if the text contains anything else.
fn children<'t>(mark: &str, text: &'t str) -> Option<Vec<(&'t str, &'t str)>> {
    let mut children = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let tag = rest.strip_prefix(mark)?.strip_prefix('<')?;
        let (name, body) = tag.split_once('>')?;
        let (inner, after) = split_at_close(mark, name, body)?;
        children.push((name, inner));
        rest = after.trim_start();
    }
    Some(children)
}

/// Splits at the closing tag that matches an opening tag of the same name.
fn split_at_close<'t>(mark: &str, name: &str, body: &'t str) -> Option<(&'t str, &'t str)> {
    let (open, close) = (format!("{mark}<{name}>"), format!("{mark}</{name}>"));
    let (mut at, mut depth) = (0_usize, 0_usize);
    loop {
        let rest = body.get(at..)?;
        let end = rest.find(&close)?;
        match rest.find(&open).filter(|begin| *begin < end) {
            Some(begin) => {
                depth = depth.saturating_add(1);
                at = at.saturating_add(begin).saturating_add(open.len());
            }
            None if depth == 0 => {
                let end = at.saturating_add(end);
                return Some((body.get(..end)?, body.get(end.saturating_add(close.len())..)?));
            }
            None => {
                depth = depth.saturating_sub(1);
                at = at.saturating_add(end).saturating_add(close.len());
            }
        }
    }
}

fn child_schema<'a>(schema: &'a Value, root: &'a Value, name: &str, is_list: bool) -> Option<&'a Value> {
    let schema = resolve(schema, root);
    let direct =
        if is_list { schema.get("items") } else { schema.get("properties").and_then(|all| all.get(name)) };
    if direct.is_some() {
        return direct;
    }
    let branches = ["anyOf", "oneOf", "allOf"].iter().filter_map(|word| schema.get(word)?.as_array());
    branches.flatten().find_map(|branch| {
        let branch = resolve(branch, root);
        if is_list { branch.get("items") } else { branch.get("properties")?.get(name) }
    })
}
