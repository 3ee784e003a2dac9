//! The layer rule, as a pure function of the crates and the resolved graph.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::project::{Dependency, Kind, LayerTable, Package, Project, Reach};

const TABLE: &str = "[workspace.metadata.layers] in Cargo.toml";
/// The crates of late layers that tests of earlier crates use. A version of theirs in a dev-dependency would
/// make a cycle of releases.
const TEST_CRATES: [(&str, &str); 2] = [("windlass-mock", "mock"), ("windlass-testkit", "testkit")];

/// Returns the violations in the crates' own dependency lists.
pub(super) fn direct(project: &Project) -> Vec<String> {
    let places = Places::new(&project.layers);
    let mut problems = places.problems.clone();
    for package in project.crates() {
        let place = package.layer_name().and_then(|name| places.find(name));
        let Some(place) = place else {
            problems.push(format!("`{}` has no layer: give it its place in {TABLE}", package.name));
            continue;
        };
        for dependency in &package.dependencies {
            problems.extend(wrong_edge(package, place, dependency, project, &places));
        }
    }
    problems
}

/// Returns the forbidden packages that pure crates depend on through other crates, each with the dependency
/// path.
pub(super) fn transitive(project: &Project, reach: &Reach) -> Vec<String> {
    let layers = &project.layers;
    let mut problems = Vec::new();
    for package in project.crates() {
        if package.layer_name().is_none_or(|name| !is_in(&layers.pure, name)) {
            continue;
        }
        for impure in &layers.impure_dependencies {
            if let Some(way) = way_to(&package.name, impure, reach) {
                problems.push(impure_message(&package.name, impure, &way));
            }
        }
    }
    problems
}

fn wrong_edge(
    package: &Package,
    place: Place<'_>,
    dependency: &Dependency,
    project: &Project,
    places: &Places<'_>,
) -> Option<String> {
    let (from, to) = (package.name.as_str(), dependency.name.as_str());
    if dependency.kind == Kind::Dev {
        let (_, folder) = TEST_CRATES.iter().find(|(name, _)| *name == to)?;
        return (!dependency.path_only).then(|| {
            format!(
                "`{from}` has a dev-dependency on `{to}` with a version: write `{to} = {{ path = \"../{folder}\" }}`, so \
                 that packaging drops it"
            )
        });
    }
    let is_pure = package.layer_name().is_some_and(|name| is_in(&project.layers.pure, name));
    if is_pure && is_in(&project.layers.impure_dependencies, to) {
        return Some(impure_message(from, to, &[from.to_owned(), to.to_owned()]));
    }
    let target = project.package(to)?;
    let Some(target_place) = target.layer_name().and_then(|name| places.find(name)) else {
        return Some(format!("`{from}` ({place}) depends on `{to}`, which has no place in {TABLE}"));
    };
    if target_place.index < place.index {
        return None;
    }
    let relation = if target_place.index == place.index { "the same layer" } else { "a later layer" };
    Some(format!(
        "`{from}` ({place}) depends on `{to}` ({target_place}): that is {relation}, and a crate uses only crates \
         of earlier ones"
    ))
}

fn impure_message(from: &str, impure: &str, way: &[String]) -> String {
    format!("`{from}` is a pure crate and must not reach `{impure}`: {}", way.join(" -> "))
}

/// Returns the shortest path along normal dependencies, by breadth-first search.
fn way_to(from: &str, target: &str, reach: &Reach) -> Option<Vec<String>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut waiting = VecDeque::from([from]);
    let mut seen = BTreeSet::from([from]);
    while let Some(name) = waiting.pop_front() {
        if name == target {
            let mut way = vec![name.to_owned()];
            let mut at = name;
            while let Some(&before) = came_from.get(at) {
                way.push(before.to_owned());
                at = before;
            }
            way.reverse();
            return Some(way);
        }
        for next in reach.get(name).into_iter().flatten() {
            if seen.insert(next) {
                came_from.insert(next, name);
                waiting.push_back(next);
            }
        }
    }
    None
}

fn is_in(names: &[String], name: &str) -> bool {
    names.iter().any(|listed| listed == name)
}

/// The layer of a crate.
#[derive(Clone, Copy)]
struct Place<'a> {
    index: usize,
    name: &'a str,
}

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "layer {}, {}", self.index, self.name)
    }
}

/// The layers by crate, and the problems of the layer table itself.
struct Places<'a> {
    by_crate: BTreeMap<&'a str, Place<'a>>,
    problems: Vec<String>,
}

impl<'a> Places<'a> {
    fn new(table: &'a LayerTable) -> Self {
        let mut by_crate = BTreeMap::new();
        let mut problems = Vec::new();
        for (index, layer) in table.order.iter().enumerate() {
            for name in &layer.crates {
                if by_crate.insert(name.as_str(), Place { index, name: &layer.name }).is_some() {
                    problems.push(format!("`{name}` stands twice in {TABLE}"));
                }
            }
        }
        for name in &table.pure {
            if !by_crate.contains_key(name.as_str()) {
                problems.push(format!("`{name}` is listed as pure, but has no layer in {TABLE}"));
            }
        }
        Self { by_crate, problems }
    }

    fn find(&self, name: &str) -> Option<Place<'a>> {
        self.by_crate.get(name).copied()
    }
}
