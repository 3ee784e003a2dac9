//! Checks that a program that depends only on the facade can name each type in a public signature.
//!
//! The lint `unnameable_types` finds public types without a name inside of a crate. This check finds the types of other
//! crates: the crate of the type is re-exported by the facade, or the type is re-exported by a crate that is.

mod signatures;

use std::collections::{BTreeMap, BTreeSet};

use super::Findings;
use signatures::Reference;

/// Crates whose types a program names by their own crate: the language, and the traits of serde, which a program that
/// derives them needs anyway.
const WITHOUT_EXPORT: [&str; 5] = ["std", "core", "alloc", "serde", "serde_core"];

/// Re-exports and signatures of one crate.
#[derive(Debug, Default)]
struct Crate {
    exports: Vec<Vec<String>>,
    references: Vec<Reference>,
}

/// Checks the sources of all crates. `texts` are the project's files.
pub(super) fn check(texts: &[(String, String)], found: &mut Findings) {
    let mut crates: BTreeMap<String, Crate> = BTreeMap::new();
    for (path, content) in texts {
        let Some(name) = crate_of(path) else { continue };
        let Ok(file) = syn::parse_file(content) else {
            found.errors.push(format!("{path}: is not Rust that this check can parse"));
            continue;
        };
        let entry = crates.entry(name).or_default();
        signatures::collect(path, &file, &mut entry.exports, &mut entry.references);
    }
    let reached = find_reached(&crates);
    let exports: Vec<&Vec<String>> =
        reached.iter().filter_map(|name| crates.get(name)).flat_map(|package| &package.exports).collect();
    for name in &reached {
        for reference in crates.get(name).into_iter().flat_map(|package| &package.references) {
            if !is_nameable(&reference.path, &reached, &exports) {
                let (type_name, place) = (reference.path.join("::"), &reference.file);
                found.errors.push(format!(
                    "{place}: a public signature has `{type_name}`, which the facade cannot name: re-export the \
                     type in this crate, or its crate in crates/windlass"
                ));
            }
        }
    }
}

/// Returns the crate of a source file that can have public signatures.
fn crate_of(path: &str) -> Option<String> {
    let (folder, rest) = path.strip_prefix("crates/")?.split_once("/src/")?;
    let is_rust = super::language::extension(path) == "rs";
    let is_test = rest.ends_with("tests.rs") || rest.contains("tests/");
    let name = if folder == "windlass" { folder.to_owned() } else { format!("windlass-{folder}") };
    (is_rust && !is_test).then(|| name.replace('-', "_"))
}

/// Returns the facade and the crates that it re-exports as a whole, directly or through such a crate.
fn find_reached(crates: &BTreeMap<String, Crate>) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec!["windlass".to_owned()];
    while let Some(name) = waiting.pop() {
        let Some(package) = crates.get(&name) else { continue };
        if reached.insert(name) {
            let whole = package.exports.iter().filter(|path| is_whole_crate(path));
            waiting.extend(whole.filter_map(|path| path.first().cloned()));
        }
    }
    reached
}

/// Returns `true` for a re-export of a crate (`pub use name`) or of all its items (`pub use name::*`).
fn is_whole_crate(export: &[String]) -> bool {
    match export {
        [_] => true,
        [_, last] => last == "*",
        _ => false,
    }
}

/// Returns `true` if the path is in a reached crate, or a re-export covers it. A type may be re-exported by another
/// path of its crate than a signature uses, so single types are compared by crate and name.
fn is_nameable(path: &[String], reached: &BTreeSet<String>, exports: &[&Vec<String>]) -> bool {
    let (Some(krate), Some(name)) = (path.first(), path.last()) else { return true };
    if krate == "futures_util" && name == "Stream" {
        let original = ["futures_core".to_owned(), name.clone()];
        return is_nameable(&original, reached, exports);
    }
    if reached.contains(krate) || WITHOUT_EXPORT.contains(&krate.as_str()) {
        return true;
    }
    exports.iter().any(|export| {
        let is_module = path.starts_with(export);
        let is_item = export.first() == Some(krate) && export.last() == Some(name);
        let is_glob =
            export.split_last().is_some_and(|(last, module)| last == "*" && path.starts_with(module));
        is_module || is_item || is_glob
    })
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::Findings;

    #[track_caller]
    fn check_sources(sources: &[(&str, &str)], expected: &[&str]) {
        let texts: Vec<_> =
            sources.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let mut found = Findings::default();
        check(&texts, &mut found);
        let names: Vec<_> = found.errors.iter().filter_map(|error| error.split('`').nth(1)).collect();
        assert_eq!(names, expected, "{:?}", found.errors);
    }

    const FACADE: (&str, &str) = ("crates/windlass/src/lib.rs", "pub use windlass_agent as agent;");

    #[test]
    fn types_of_hidden_crates_are_found_in_each_kind_of_signature() {
        let agent = "use hidden::{A, b::B as Other, C, D, E, F};\n\
            pub struct S<T: A> { pub other: Other, private: hidden::Private, t: T }\n\
            impl<T: A> S<T> { pub fn c(&self) -> Option<C> { None } fn d(&self) -> D { D } }\n\
            pub enum Kind { One(D), Two { e: E } }\n\
            pub trait Do: F { fn g(&self, g: ::hidden::G); type H: hidden::H; }\n\
            impl std::str::FromStr for Kind { type Err = hidden::I; }\n\
            pub fn j(j: impl Fn(hidden::J)) {}\n\
            pub(crate) fn k(k: hidden::K) {}";
        let expected = [
            "hidden::A",
            "hidden::b::B",
            "hidden::C",
            "hidden::D",
            "hidden::E",
            "hidden::F",
            "hidden::G",
            "hidden::H",
            "hidden::I",
            "hidden::J",
        ];
        check_sources(&[FACADE, ("crates/agent/src/lib.rs", agent)], &expected);
    }

    #[test]
    fn re_exported_types_and_crates_have_a_name() {
        let signature = "pub fn f(a: hidden::A, b: other::m::B, c: whole::C, d: windlass_tool::D) {}";
        let agent = format!("{signature}\npub use hidden::A; pub use other::m; pub use whole;");
        let facade = "pub use windlass_agent as agent; pub mod tool { pub use windlass_tool::*; }";
        let sources = [
            ("crates/windlass/src/lib.rs", facade),
            ("crates/agent/src/lib.rs", &*agent),
            ("crates/tool/src/lib.rs", "pub struct D;"),
        ];
        check_sources(&sources, &[]);
    }

    #[test]
    fn a_crate_that_the_facade_does_not_have_is_not_checked_and_covers_nothing() {
        let agent = "pub fn f(a: windlass_hidden::A) {}";
        let hidden = "pub use foreign::A; pub fn f(b: foreign::B) {}";
        let sources = [FACADE, ("crates/agent/src/lib.rs", agent), ("crates/hidden/src/lib.rs", hidden)];
        check_sources(&sources, &["windlass_hidden::A"]);
    }

    #[test]
    fn the_check_leaves_out_hidden_items_and_tests() {
        let agent =
            "#[doc(hidden)] pub fn f(a: hidden::A) {}\n#[cfg(test)] mod tests { pub fn f(a: hidden::A) {} }";
        check_sources(&[FACADE, ("crates/agent/src/lib.rs", agent)], &[]);
    }
}
