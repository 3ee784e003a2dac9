//! From the author's schema to one that a dialect takes.

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

/// How many schemas one compilation looks at, what is written in place of references counted each time. What a
/// hostile schema multiplies ends here.
const BUDGET: usize = 20_000;
/// How deep schemas stand in each other before they are cut.
const DEPTH: usize = 40;
/// The longest path that is told.
const PATH: usize = 256;

/// One compilation.
pub(super) struct Compiler<'a> {
    document: &'a Json,
    rules: Rules,
    losses: Losses,
    left: usize,
    definitions: Definitions,
    /// The references that are being written in place.
    expanding: Vec<String>,
    tally: Tally,
    /// Names of properties that the dialect does not take, and how they are shown.
    renamed: BTreeMap<String, String>,
    shown: BTreeSet<String>,
}

/// What the limits count.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    properties: usize,
    enum_values: usize,
    characters: usize,
}

/// Where in the author's schema something stands.
#[derive(Clone, Debug, Default)]
struct Place {
    path: String,
    /// How many schemas stand around it.
    depth: usize,
    /// How many objects and lists stand around it.
    level: usize,
}

impl Place {
    /// A schema under this keyword that describes the same value.
    fn under(&self, keyword: &str, name: &str) -> Self {
        let mut path = self.path.clone();
        if path.len() < PATH {
            for part in [keyword, name].into_iter().filter(|part| !part.is_empty()) {
                path.push('/');
                path.push_str(&part.replace('~', "~0").replace('/', "~1"));
            }
        }
        Self { path, depth: self.depth.saturating_add(1), level: self.level }
    }

    /// A schema under this keyword that describes what is inside of the value.
    fn inside(&self, keyword: &str, name: &str) -> Self {
        let mut place = self.under(keyword, name);
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

    /// Takes from the budget; whether there was enough.
    fn spend(&mut self, schemas: usize) -> bool {
        let enough = self.left >= schemas;
        self.left = self.left.saturating_sub(schemas);
        enough
    }

    /// One schema, wherever it stands but at the root.
    fn schema(&mut self, schema: &Json, place: &Place) -> Json {
        let members = mend(schema, &place.path, &mut self.losses);
        self.members(members, place)
    }

    /// A mended schema.
    fn members(&mut self, mut members: Members, place: &Place) -> Json {
        if place.depth > DEPTH || !self.spend(1) {
            self.lose(place, "schema", "is too deep or too large to be sent; anything is taken");
            return self.anything(Members::new());
        }
        let expanding = self.expanding.len();
        let compiled = if let Some(reference) = self.resolve(&mut members, place) {
            reference
        } else {
            self.conjunction(&mut members, place);
            self.described(members, place)
        };
        self.expanding.truncate(expanding);
        compiled
    }

    /// A schema without references and, where the dialect has none, without `allOf`.
    fn described(&mut self, members: Members, place: &Place) -> Json {
        if self.rules.unions == Unions::Kept {
            return self.typed(members, place);
        }
        match self.union(members, place) {
            union::Union::Done(union) => union,
            union::Union::None(members) => self.typed(members, place),
        }
    }
}

/// How many values a tree has, up to a limit.
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

/// Keywords that say nothing about which values are taken.
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
