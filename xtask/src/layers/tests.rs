//! The layer rule on small made-up graphs.

use super::{rule, table};
use crate::project::{Dependency, Kind, Layer, LayerTable, Package, Project, Reach};

/// Crates with their normal dependencies; layers are sse, stream | wire | client.
fn project(crates: &[(&str, &[&str])]) -> Project {
    let layer = |name: &str, crates: &[&str]| Layer { name: name.to_owned(), crates: owned(crates) };
    let packages = crates.iter().map(|(name, needs)| {
        let dependencies = needs.iter().map(|need| dependency(need, Kind::Normal)).collect();
        package(name, dependencies)
    });
    Project {
        packages: packages.collect(),
        layers: LayerTable {
            order: vec![
                layer("values", &["sse", "stream"]),
                layer("wires", &["wire"]),
                layer("outside", &["client"]),
            ],
            pure: owned(&["sse", "wire"]),
            impure_dependencies: owned(&["tokio"]),
            ..LayerTable::default()
        },
    }
}

fn package(name: &str, dependencies: Vec<Dependency>) -> Package {
    Package {
        name: format!("windlass-{name}"),
        version: "0.1.0".to_owned(),
        description: String::new(),
        folder: format!("crates/{name}"),
        readme: None,
        benches: Vec::new(),
        has_library: true,
        is_published: true,
        features: Vec::new(),
        dependencies,
    }
}

fn dependency(name: &str, kind: Kind) -> Dependency {
    Dependency { name: name.to_owned(), kind, path_only: false }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[track_caller]
fn check_direct(crates: &[(&str, &[&str])], expected: &[&str]) {
    assert_eq!(rule::direct(&project(crates)), expected);
}

#[track_caller]
fn check_transitive(edges: &[(&str, &[&str])], expected: &[&str]) {
    let reach: Reach = edges.iter().map(|(name, needs)| ((*name).to_owned(), owned(needs))).collect();
    assert_eq!(rule::transitive(&project(&[("sse", &[]), ("wire", &[]), ("client", &[])]), &reach), expected);
}

#[test]
fn an_edge_to_an_earlier_layer_is_fine() {
    check_direct(
        &[("sse", &["memchr"]), ("wire", &["windlass-sse"]), ("client", &["windlass-wire", "tokio"])],
        &[],
    );
}

#[test]
fn an_edge_upward_names_both_crates_and_layers() {
    check_direct(
        &[("sse", &["windlass-client"]), ("client", &[])],
        &[
            "`windlass-sse` (layer 0, values) depends on `windlass-client` (layer 2, outside): that is a later layer, \
           and a crate uses only crates of earlier ones",
        ],
    );
}

#[test]
fn an_edge_inside_a_layer_is_refused() {
    check_direct(
        &[("sse", &[]), ("stream", &["windlass-sse"])],
        &[
            "`windlass-stream` (layer 0, values) depends on `windlass-sse` (layer 0, values): that is the same layer, \
           and a crate uses only crates of earlier ones",
        ],
    );
}

#[test]
fn a_build_dependency_counts_and_a_dev_dependency_does_not() {
    let with = |kind: Kind| {
        let mut project = project(&[("client", &[])]);
        project.packages.push(package("sse", vec![dependency("windlass-client", kind)]));
        rule::direct(&project).len()
    };
    assert_eq!((with(Kind::Build), with(Kind::Dev)), (1, 0));
}

#[test]
fn testkit_and_mock_are_path_dependencies_only() {
    let problems_with = |name: &str, path_only: bool| {
        let mut project = project(&[]);
        let kit = Dependency { path_only, ..dependency(name, Kind::Dev) };
        project.packages.push(package("sse", vec![kit]));
        rule::direct(&project).len()
    };
    for name in ["windlass-testkit", "windlass-mock"] {
        assert_eq!((problems_with(name, true), problems_with(name, false)), (0, 1), "{name}");
    }
}

#[test]
fn a_crate_without_a_layer_is_refused() {
    check_direct(
        &[("gadget", &[])],
        &["`windlass-gadget` has no layer: give it its place in [workspace.metadata.layers] in Cargo.toml"],
    );
}

#[test]
fn tokio_in_a_pure_crate_is_refused() {
    check_direct(
        &[("sse", &["tokio"])],
        &["`windlass-sse` is a pure crate and must not reach `tokio`: windlass-sse -> tokio"],
    );
}

#[test]
fn a_transitive_tokio_dependency_is_refused_with_its_path() {
    check_transitive(
        &[("windlass-wire", &["bytes", "gadget"]), ("gadget", &["tokio"]), ("windlass-client", &["tokio"])],
        &["`windlass-wire` is a pure crate and must not reach `tokio`: windlass-wire -> gadget -> tokio"],
    );
}

#[test]
fn the_table_lists_normal_edges_between_crates() {
    let drawn = table::draw(&project(&[("sse", &["memchr"]), ("wire", &["windlass-sse", "bytes"])]));
    assert!(
        drawn.ends_with("| 0 values | `sse` | yes | – |\n| 1 wires | `wire` | yes | `sse` |\n"),
        "{drawn}"
    );
}

#[test]
fn the_table_is_inserted_between_its_markers() {
    let page = table::replace(&table::empty_page(), "| row |\n").unwrap();
    assert!(page.contains("<!-- layers:begin -->\n| row |\n<!-- layers:end -->\n"));
    assert_eq!(table::replace(&page, "| row |\n").unwrap(), page);
    assert_eq!(table::replace("no markers", ""), None);
}
