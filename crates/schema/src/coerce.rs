//! Arguments that say the right thing in the wrong kind, put right as the schema wants it (RULES J9).

mod branch;

use std::cell::Cell;
use std::fmt;

use serde_json::Value;
use windlass_protocol::{Arguments, RawJson};

use self::branch::Branch;
use crate::json::{Json, Members};
use crate::reading::{Need, Reading};
use crate::wanted::{Wanted, WantedKind, resolve};

/// One value that was put right.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coercion {
    /// Where, as a JSON Pointer into the arguments.
    pub path: String,
    /// What the model wrote, as JSON; long text is cut.
    pub from: String,
    /// What it became, as JSON; nothing where it was left out.
    pub to: Option<String>,
}

impl fmt::Display for Coercion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.to {
            Some(to) => write!(f, "{}: {} was read as {to}", self.path, self.from),
            None => write!(f, "{}: {} was taken as left out", self.path, self.from),
        }
    }
}

/// The longest value that a coercion repeats.
const SHOWN: usize = 120;
/// How many branches are tried in one call's arguments.
const TRIES: usize = 1024;
/// How deep branches are searched for a property.
const BRANCHES: usize = 4;

/// Puts arguments right where their kind is wrong and what they say is clear, and tells each change.
///
/// `"true"` becomes a boolean only where the schema wants one and no string, `"5"` a number, and the text of a
/// list or an object becomes that; `""` is never 0; null for an optional property that does not take it is left
/// out. Nothing else: a value of a kind that the schema takes stays as it is. Where nothing changes the
/// arguments keep the very text that the model wrote, and numbers keep their digits in any case.
///
/// ```
/// use windlass_protocol::{Arguments, RawJson};
/// use windlass_schema::coerce;
///
/// let schema: RawJson = r#"{"type":"object","properties":{
///     "path":{"type":"string"},"line":{"type":"integer"},"all":{"type":"boolean"}}}"#.parse()?;
/// let arguments = Arguments::parse(r#"{"path":"true","line":"12","all":null}"#)?;
/// let (arguments, coerced) = coerce(&schema, &arguments);
/// assert_eq!(arguments.as_str(), r#"{"path":"true","line":12}"#);
/// assert_eq!(coerced[0].to_string(), r#"/line: "12" was read as 12"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn coerce(schema: &RawJson, arguments: &Arguments) -> (Arguments, Vec<Coercion>) {
    coerce_where(schema, arguments, &|_| true)
}

/// Like [`coerce`], but changes only what one of these paths is about, which are the paths of violations: the value
/// itself, what holds it, or what is inside of it. A value that the whole schema takes is not changed because a part of
/// the schema, as a branch or a pattern of names, would take another.
pub fn coerce_at(schema: &RawJson, arguments: &Arguments, paths: &[String]) -> (Arguments, Vec<Coercion>) {
    let is_inside = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    coerce_where(schema, arguments, &|path| {
        paths.iter().any(|wrong| is_inside(path, wrong) || is_inside(wrong, path))
    })
}

fn coerce_where(
    schema: &RawJson,
    arguments: &Arguments,
    is_wrong: &dyn Fn(&str) -> bool,
) -> (Arguments, Vec<Coercion>) {
    let root = schema.to_value();
    // What nests too deep to be read stays as it is.
    let Ok(Json::Object(members)) = Json::parse(arguments.as_str()) else {
        return (arguments.clone(), Vec::new());
    };
    let mut walk = Walk { root: &root, is_wrong, tries: &Cell::new(TRIES), coerced: Vec::new() };
    let Json::Object(members) = walk.inside(Json::Object(members), &root, "") else {
        return (arguments.clone(), Vec::new());
    };
    if walk.coerced.is_empty() {
        return (arguments.clone(), Vec::new());
    }
    match Arguments::parse(Json::Object(members).to_string()) {
        Ok(arguments) => (arguments, walk.coerced),
        Err(_) => (arguments.clone(), Vec::new()),
    }
}

/// Where the schema of a member is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// In the branches of unions too, of which the first that has it counts.
    Branches,
    /// Beside the unions only.
    Beside,
}

struct Walk<'a> {
    root: &'a Value,
    /// Whether something at this path, around it or inside of it may be changed.
    is_wrong: &'a dyn Fn(&str) -> bool,
    /// How many more branches may be tried, for unions that stand in each other.
    tries: &'a Cell<usize>,
    coerced: Vec<Coercion>,
}

impl<'a> Walk<'a> {
    fn object(&mut self, members: Members, schema: &'a Value, path: &str, sight: Sight) -> Members {
        let schema = resolve(schema, self.root);
        let mut out = Members::new();
        for (name, value) in members {
            let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            let Some(wanted) = self.property(schema, &name, BRANCHES, sight) else {
                out.push(name, value);
                continue;
            };
            if let Some(value) = self.value(value, wanted, Need::of(schema, &name), &path) {
                out.push(name, value);
            }
        }
        out
    }

    fn list(&mut self, items: Vec<Json>, schema: &'a Value, path: &str, sight: Sight) -> Vec<Json> {
        let schema = resolve(schema, self.root);
        let mut out = Vec::with_capacity(items.len());
        for (position, item) in items.into_iter().enumerate() {
            let item = match self.item(schema, position, BRANCHES, sight) {
                // An item is never left out: the others would move.
                Some(wanted) => {
                    let kept = item.clone();
                    self.value(item, wanted, Need::Required, &format!("{path}/{position}")).unwrap_or(kept)
                }
                None => item,
            };
            out.push(item);
        }
        out
    }

    /// The value as the schema wants it; nothing if it is left out.
    fn value(&mut self, value: Json, schema: &'a Value, need: Need, path: &str) -> Option<Json> {
        if !(self.is_wrong)(path) {
            return Some(value);
        }
        let wanted = Wanted::of(schema, self.root);
        match value {
            Json::Null if need == Need::Optional && wanted.is_known() && !wanted.takes(WantedKind::Null) => {
                self.note(path, &Json::Null, None);
                None
            }
            Json::String(text) if wanted.is_known() && !wanted.takes(WantedKind::String) => {
                let read = match Reading::of(&text, wanted, need) {
                    Reading::Json { json, .. } => Json::parse(&json).ok(),
                    Reading::Omitted => {
                        self.note(path, &Json::String(text), None);
                        return None;
                    }
                    Reading::Text | Reading::Failed => None,
                };
                let Some(read) = read else { return Some(Json::String(text)) };
                self.note(path, &Json::String(text), Some(&read));
                Some(self.inside(read, schema, path))
            }
            other => Some(self.inside(other, schema, path)),
        }
    }

    fn inside(&mut self, value: Json, schema: &'a Value, path: &str) -> Json {
        let branch = match value {
            Json::Object(_) | Json::Array(_) => self.branch(&value, schema, path, BRANCHES),
            _ => Branch::None,
        };
        match branch {
            Branch::None => self.members(value, schema, path, Sight::Branches),
            // A branch takes the value as it is, so only what stands beside the branches may change it.
            Branch::Fits => self.members(value, schema, path, Sight::Beside),
            Branch::Coerced(value, coerced) => {
                self.coerced.extend(coerced);
                self.members(value, schema, path, Sight::Beside)
            }
        }
    }

    fn members(&mut self, value: Json, schema: &'a Value, path: &str, sight: Sight) -> Json {
        match value {
            Json::Object(members) => Json::Object(self.object(members, schema, path, sight)),
            Json::Array(items) => Json::Array(self.list(items, schema, path, sight)),
            other => other,
        }
    }

    /// The schema of a property, looked for in branches too.
    fn property(&self, schema: &'a Value, name: &str, depth: usize, sight: Sight) -> Option<&'a Value> {
        let schema = resolve(schema, self.root);
        if let Some(found) = schema.get("properties").and_then(|all| all.get(name)) {
            return Some(found);
        }
        let more = schema.get("additionalProperties").filter(|more| more.is_object());
        branches(schema, depth, sight, |branch, depth| self.property(branch, name, depth, sight)).or(more)
    }

    /// The schema of an item, looked for in branches too.
    fn item(&self, schema: &'a Value, position: usize, depth: usize, sight: Sight) -> Option<&'a Value> {
        let schema = resolve(schema, self.root);
        // The 2020 draft's `prefixItems` was a list under `items` before.
        let first = [schema.get("prefixItems"), schema.get("items")];
        let first = first.into_iter().flatten().find_map(|list| list.as_array()?.get(position));
        let every = schema.get("items").filter(|items| items.is_object());
        first.or(every).or_else(|| {
            branches(schema, depth, sight, |branch, depth| self.item(branch, position, depth, sight))
        })
    }

    fn note(&mut self, path: &str, from: &Json, to: Option<&Json>) {
        let (from, to) = (shown(from), to.map(shown));
        self.coerced.push(Coercion { path: path.to_owned(), from, to });
    }
}

fn branches<'a>(
    schema: &'a Value,
    depth: usize,
    sight: Sight,
    find: impl Fn(&'a Value, usize) -> Option<&'a Value>,
) -> Option<&'a Value> {
    let depth = depth.checked_sub(1)?;
    let words: &[&str] = match sight {
        Sight::Branches => &["anyOf", "oneOf", "allOf"],
        Sight::Beside => &["allOf"],
    };
    let lists = words.iter().filter_map(|word| schema.get(*word)?.as_array());
    lists.flatten().take(32).find_map(|branch| find(branch, depth))
}

fn shown(json: &Json) -> String {
    let text = json.to_string();
    let end = text.floor_char_boundary(SHOWN);
    match text.get(..end) {
        Some(head) if end < text.len() => format!("{head}… ({} bytes)", text.len()),
        _ => text,
    }
}
