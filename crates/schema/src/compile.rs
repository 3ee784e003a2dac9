//! Compiler from the author's schema to a schema that a dialect accepts.

mod array;
mod enumeration;
mod keyword;
mod kinds;
mod mend;
mod merge;
mod object;
mod pattern;
mod reference;
mod root;
mod union;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use crate::compile::mend::mend;
use crate::compile::reference::Definitions;
use crate::dialect::Dialect;
use crate::json::{Json, Members};
use crate::loss::Losses;
use crate::rules::{Rules, Unions};

pub(crate) use root::{WRAPPER, compile};

/// Maximum number of schemas that one compilation processes. Inlined references count each time, so a hostile
/// schema cannot multiply the work.
const BUDGET: usize = 20_000;
/// Maximum nesting depth of schemas. Deeper ones are replaced by an open schema.
const DEPTH: usize = 40;
/// Maximum length of a reported path, in bytes. A longer path is not extended.
const PATH: usize = 256;

/// State of one compilation.
pub(super) struct Compiler<'a> {
    document: &'a Json,
    rules: Rules,
    losses: Losses,
    left: usize,
    definitions: Definitions,
    /// The pointers of the references that are being inlined.
    expanding: Vec<String>,
    tally: Tally,
    /// The property names that the dialect does not accept, with their replacements.
    renamed: BTreeMap<String, String>,
    shown: BTreeSet<String>,
}

/// Counters for the dialect's limits.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    properties: usize,
    enum_values: usize,
    characters: usize,
}

/// Position in the author's schema.
#[derive(Clone, Debug, Default)]
struct Place {
    path: String,
    /// The number of enclosing schemas.
    depth: usize,
    /// The number of enclosing objects and lists.
    level: usize,
}

impl Place {
    /// Returns the position of a schema under a keyword that describes the same value.
    fn same_value(&self, keyword: &str, name: &str) -> Self {
        let mut path = self.path.clone();
        if path.len() < PATH {
            for part in [keyword, name].into_iter().filter(|part| !part.is_empty()) {
                path.push('/');
                path.push_str(&part.replace('~', "~0").replace('/', "~1"));
            }
        }
        Self { path, depth: self.depth.saturating_add(1), level: self.level }
    }

    /// Returns the position of a schema under a keyword that describes a member or an item of the value.
    fn member_of(&self, keyword: &str, name: &str) -> Self {
        let mut place = self.same_value(keyword, name);
        place.level = place.level.saturating_add(1);
        place
    }
}

impl<'a> Compiler<'a> {
    fn new(document: &'a Json, dialect: Dialect) -> Self {
        Self {
            document,
            rules: dialect.rules(),
            losses: Losses::default(),
            left: BUDGET,
            definitions: Definitions::default(),
            expanding: Vec::new(),
            tally: Tally::default(),
            renamed: BTreeMap::new(),
            shown: BTreeSet::new(),
        }
    }

    fn lose(&mut self, place: &Place, keyword: &str, what: impl Into<String>) {
        self.losses.tell(&place.path, keyword, what);
    }

    /// Subtracts from the budget. Returns whether it was sufficient.
    fn spend(&mut self, schemas: usize) -> bool {
        let enough = self.left >= schemas;
        self.left = self.left.saturating_sub(schemas);
        enough
    }

    /// Compiles a schema below the root.
    fn schema(&mut self, schema: &Json, place: &Place) -> Json {
        let members = mend(schema, &place.path, &mut self.losses);
        self.members(members, place)
    }

    /// Compiles a normalized schema.
    fn members(&mut self, mut members: Members, place: &Place) -> Json {
        if place.depth > DEPTH || !self.spend(1) {
            self.lose(place, "schema", "is too deep or too large to be sent; any value is accepted");
            return self.anything(Members::new());
        }
        let expanding = self.expanding.len();
        let compiled = if let Some(reference) = self.resolve(&mut members, place) {
            reference
        } else {
            self.conjunction(&mut members, place);
            self.compile_members(members, place)
        };
        self.expanding.truncate(expanding);
        compiled
    }

    /// Compiles a schema whose references are resolved and, for a dialect without `allOf`, whose `allOf` is
    /// merged.
    fn compile_members(&mut self, members: Members, place: &Place) -> Json {
        if self.rules.unions == Unions::Kept {
            return self.typed(members, place);
        }
        match self.union(members, place) {
            union::Union::Done(union) => union,
            union::Union::None(members) => self.typed(members, place),
        }
    }
}

/// Counts the values of a tree, up to a limit.
fn size(json: &Json, limit: usize) -> usize {
    let (mut open, mut count) = (vec![json], 0_usize);
    while let Some(json) = open.pop() {
        count = count.saturating_add(1);
        if count >= limit {
            break;
        }
        match json {
            Json::Array(items) => open.extend(items),
            Json::Object(members) => open.extend(members.iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    count
}

/// Returns whether a keyword is an annotation, which does not restrict values.
fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "contentEncoding"
            | "contentMediaType"
            | "contentSchema"
            | "default"
            | "deprecated"
            | "description"
            | "examples"
            | "readOnly"
            | "title"
            | "writeOnly"
    )
}
