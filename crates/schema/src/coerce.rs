//! Coercion of arguments whose content is clear and whose JSON kind is wrong (RULES J9).

mod branch;
mod place;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;
use windlass_protocol::{Arguments, RawJson};

use self::branch::Branch;
use self::place::{Place, WrongPaths};
use crate::json::{Json, Members};
use crate::reading::{Need, TextConversion};
use crate::wanted::{AcceptedKinds, WantedKind, resolve};

/// Record of one coerced value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coercion {
    /// The path of the value, as a JSON Pointer into the arguments.
    pub path: String,
    /// The value that the model wrote, as JSON. Long text is cut.
    pub from: String,
    /// The coerced value as JSON; `None` if the value was left out.
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

/// Longest value that a coercion repeats, in bytes.
const SHOWN: usize = 120;
/// Maximum number of branches that are tried for one call's arguments.
const TRIES: usize = 1024;
/// Maximum number of bytes of the values that are compared with branches for one call's arguments. A value counts once for
/// each branch.
const TRIED_BYTES: usize = 8 * 1024 * 1024;
/// Maximum nesting of branches that are searched for a property.
const BRANCHES: usize = 4;
/// Maximum length of the path of a coerced value, in bytes. Every coercion repeats its path.
const MAX_PATH_BYTES: usize = 1_024;
/// Maximum number of coerced values of one call.
const MAX_COERCED: usize = 10_000;
/// Maximum number of values in arguments that are coerced. Coercion parses each value a second time, to
/// keep the digits of numbers.
const MAX_VALUES: usize = 50_000;

/// Coerces values of a wrong kind whose content is clear. Returns the arguments and a record of each change.
///
/// `"true"` becomes a boolean if the schema expects a boolean and does not accept a string, `"5"` a number,
/// and the text of a list or an object that list or object; `""` never becomes 0. A null for an optional
/// property that does not accept null is left out. Other values are unchanged: a value of an accepted kind
/// stays as it is. If nothing changes, the arguments keep the exact text that the model wrote. Numbers always
/// keep their digits.
///
/// The work is bounded. Arguments of more than 50,000 values, values beyond the first 10,000 changes, values whose path has more than 1,024 bytes, and unions
/// beyond 1,024 branches or 8 MiB of compared values stay as the model wrote them, so that validation reports them.
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
    coerce_where(schema, arguments, &WrongPaths::everywhere())
}

/// Like [`coerce`], but changes only values on the given paths, which are the paths of violations: a value
/// at, around or inside such a path. A value that the whole schema accepts is not changed because a part of
/// the schema, such as a branch or a pattern of names, would accept another.
pub fn coerce_at(schema: &RawJson, arguments: &Arguments, paths: &[String]) -> (Arguments, Vec<Coercion>) {
    coerce_where(schema, arguments, &WrongPaths::from_paths(paths))
}

fn coerce_where(schema: &RawJson, arguments: &Arguments, wrong: &WrongPaths) -> (Arguments, Vec<Coercion>) {
    if wrong.is_nowhere() || has_more_values(arguments.as_value(), MAX_VALUES) {
        return (arguments.clone(), Vec::new());
    }
    let root = schema.to_value();
    // Arguments that nest too deep to be parsed stay unchanged.
    let Ok(Json::Object(members)) = Json::parse(arguments.as_str()) else {
        return (arguments.clone(), Vec::new());
    };
    let budget = Budget { tries: Cell::new(TRIES), bytes: Cell::new(TRIED_BYTES) };
    let mut walk = Walk { root: &root, budget: &budget, coerced: Vec::new() };
    let Json::Object(members) = walk.walk_members(Json::Object(members), &root, &Place::root(wrong)) else {
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

/// Returns whether a value contains more than so many values, itself included.
fn has_more_values(value: &Value, most: usize) -> bool {
    let (mut open, mut count) = (vec![value], 1_usize);
    while let Some(value) = open.pop() {
        count = match value {
            Value::Array(items) => count.saturating_add(items.len()),
            Value::Object(members) => count.saturating_add(members.len()),
            _ => continue,
        };
        if count > most {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    false
}

/// Part of a schema that is searched for the schema of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    /// The branches of unions are searched too, and the first match counts.
    Branches,
    /// Only the keywords beside the unions are searched.
    Beside,
}

/// The remaining budget of comparisons with branches for one call's arguments, shared by nested unions.
struct Budget {
    tries: Cell<usize>,
    bytes: Cell<usize>,
}

impl Budget {
    /// Subtracts the cost of comparing a value of `bytes` bytes with `branches` branches from the budget.
    /// Returns `None` if the budget does not cover it.
    fn charge(&self, branches: usize, bytes: usize) -> Option<()> {
        let tries = self.tries.get().checked_sub(branches)?;
        let left = self.bytes.get().checked_sub(bytes.saturating_mul(branches))?;
        self.tries.set(tries);
        self.bytes.set(left);
        Some(())
    }
}

struct Walk<'a> {
    root: &'a Value,
    budget: &'a Budget,
    coerced: Vec<Coercion>,
}

impl<'a> Walk<'a> {
    fn object(&mut self, members: Members, schema: &'a Value, place: &Place<'_>, sight: Sight) -> Members {
        let schema = resolve(schema, self.root);
        let required = schema.get("required").and_then(Value::as_array);
        let required: BTreeSet<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
        let mut out = Members::new();
        for (name, value) in members {
            let place = place.member(&name);
            let wanted = place.as_ref().and_then(|_| self.property(schema, &name, BRANCHES, sight));
            let (Some(place), Some(wanted)) = (place, wanted) else {
                out.push(name, value);
                continue;
            };
            let need = if required.contains(name.as_str()) { Need::Required } else { Need::Optional };
            if let Some(value) = self.value(value, wanted, need, &place) {
                out.push(name, value);
            }
        }
        out
    }

    fn list(&mut self, items: Vec<Json>, schema: &'a Value, place: &Place<'_>, sight: Sight) -> Vec<Json> {
        let schema = resolve(schema, self.root);
        let mut out = Vec::with_capacity(items.len());
        for (position, item) in items.into_iter().enumerate() {
            let place = place.member(&position.to_string());
            let wanted = place.as_ref().and_then(|_| self.item(schema, position, BRANCHES, sight));
            let (Some(place), Some(wanted)) = (place, wanted) else {
                out.push(item);
                continue;
            };
            // An item is never left out, because the positions of the others would change. Only a null and a text can be.
            let kept = matches!(item, Json::Null | Json::String(_)).then(|| item.clone());
            out.extend(self.value(item, wanted, Need::Required, &place).or(kept));
        }
        out
    }

    /// Coerces a value. Returns `None` if the value is left out.
    fn value(&mut self, value: Json, schema: &'a Value, need: Need, place: &Place<'_>) -> Option<Json> {
        if self.coerced.len() >= MAX_COERCED {
            return Some(value);
        }
        let wanted = AcceptedKinds::from_schema(schema, self.root);
        match value {
            Json::Null if need == Need::Optional && wanted.is_known() && !wanted.takes(WantedKind::Null) => {
                self.note(place.path(), &Json::Null, None);
                None
            }
            Json::String(text) if wanted.is_known() && !wanted.takes(WantedKind::String) => {
                let read = match TextConversion::convert(&text, wanted, need) {
                    TextConversion::Json { json, .. } => Json::parse(&json).ok(),
                    TextConversion::Omitted => {
                        self.note(place.path(), &Json::String(text), None);
                        return None;
                    }
                    TextConversion::Text | TextConversion::Failed => None,
                };
                let Some(read) = read else { return Some(Json::String(text)) };
                self.note(place.path(), &Json::String(text), Some(&read));
                Some(self.walk_members(read, schema, place))
            }
            other => Some(self.walk_members(other, schema, place)),
        }
    }

    fn walk_members(&mut self, value: Json, schema: &'a Value, place: &Place<'_>) -> Json {
        let branch = match value {
            Json::Object(_) | Json::Array(_) => self.branch(&value, schema, place, BRANCHES),
            _ => Branch::None,
        };
        match branch {
            Branch::None => self.members(value, schema, place, Sight::Branches),
            // A branch accepts the value unchanged, so only keywords beside the branches may change it.
            Branch::Fits => self.members(value, schema, place, Sight::Beside),
            Branch::Coerced(value, coerced) => {
                self.coerced.extend(coerced);
                self.members(value, schema, place, Sight::Beside)
            }
        }
    }

    fn members(&mut self, value: Json, schema: &'a Value, place: &Place<'_>, sight: Sight) -> Json {
        match value {
            Json::Object(members) => Json::Object(self.object(members, schema, place, sight)),
            Json::Array(items) => Json::Array(self.list(items, schema, place, sight)),
            other => other,
        }
    }

    /// Finds the schema of a property.
    fn property(&self, schema: &'a Value, name: &str, depth: usize, sight: Sight) -> Option<&'a Value> {
        let schema = resolve(schema, self.root);
        if let Some(found) = schema.get("properties").and_then(|all| all.get(name)) {
            return Some(found);
        }
        let more = schema.get("additionalProperties").filter(|more| more.is_object());
        branches(schema, depth, sight, |branch, depth| self.property(branch, name, depth, sight)).or(more)
    }

    /// Finds the schema of an item.
    fn item(&self, schema: &'a Value, position: usize, depth: usize, sight: Sight) -> Option<&'a Value> {
        let schema = resolve(schema, self.root);
        // `prefixItems` of draft 2020-12 was a list under `items` before.
        let first = [schema.get("prefixItems"), schema.get("items")];
        let first = first.into_iter().flatten().find_map(|list| list.as_array()?.get(position));
        let every = schema.get("items").filter(|items| items.is_object());
        first.or(every).or_else(|| {
            branches(schema, depth, sight, |branch, depth| self.item(branch, position, depth, sight))
        })
    }

    fn note(&mut self, path: &str, from: &Json, to: Option<&Json>) {
        let (from, to) = (show(from), to.map(show));
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

fn show(json: &Json) -> String {
    let text = json.to_string();
    let end = text.floor_char_boundary(SHOWN);
    match text.get(..end) {
        Some(head) if end < text.len() => format!("{head}… ({} bytes)", text.len()),
        _ => text,
    }
}
