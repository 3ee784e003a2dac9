//! Circles of small crates.

use super::graph::Graph;
use crate::tidy::Findings;

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&[&str]]) {
    assert_eq!(Graph::new(files).circles(), expected);
}

#[test]
fn import_cycles_are_found_and_chains_are_not() {
    let chain = [("lib", "mod a; mod b; mod c;"), ("a", "use crate::b::B;"), ("b", "use crate::c::C;")];
    check(&[chain.as_slice(), &[("c", "pub struct C;")]].concat(), &[]);
    check(&[chain.as_slice(), &[("c", "use crate::a::A;")]].concat(), &[&["a", "b", "c"]]);
}

#[test]
fn a_re_export_resolves_to_the_file_with_the_item() {
    let lib = "mod a; mod b; pub use a::{A, Other as Alias}; pub use self::b::B;";
    check(&[("lib", lib), ("a", "use crate::B;"), ("b", "struct B;")], &[]);
    check(&[("lib", lib), ("a", "use crate::B;"), ("b", "use crate::Alias;")], &[&["a", "b"]]);
}

#[test]
fn trees_super_and_paths_in_code_are_followed() {
    let parent = "mod child; pub use child::Deep; use super::other::{self, inner::{Inner}};";
    check(
        &[
            ("lib", "mod parent; mod other;"),
            ("parent", parent),
            ("parent/child", "fn run() { super::Deep::new() }"),
            ("other", "mod inner; fn start() { inner::run(); crate::parent::Deep::new(); }"),
            ("other/inner", "use super::super::parent::*;"),
        ],
        &[&["other", "other/inner", "parent"]],
    );
}

#[test]
fn comments_strings_tests_and_other_crates_do_not_count() {
    let a = "//! See [`crate::b`].\nconst TEXT: &str = \"crate::b::B\"; /* crate::b */ const QUOTE: char = '\"';\n\
             use serde::b; #[cfg(test)]\nmod tests { use crate::b::B; }";
    check(&[("lib", "mod a; mod b;"), ("a", a), ("b", "use crate::a::A;")], &[]);
}

#[test]
fn tidy_refuses_a_circle_above_the_budget() {
    let files = [("a", "use crate::b::B;"), ("b", "use crate::c::C;"), ("c", "use crate::a::A;")];
    let mut texts: Vec<_> =
        files.iter().map(|(name, text)| (format!("crates/new/src/{name}.rs"), (*text).to_owned())).collect();
    let mut found = Findings::default();
    super::check(&texts, &mut found);
    assert!(found.errors.len() == 1 && found.errors[0].contains("3 files"), "{:?}", found.errors);
    texts.pop();
    found.errors.clear();
    super::check(&texts, &mut found);
    assert_eq!(found.errors, [""; 0]);
}
