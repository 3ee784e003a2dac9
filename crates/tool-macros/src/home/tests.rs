//! The crates through which generated code finds the runtime.

use crate::manifest::FoundCrate;

use super::{resolve, text};

#[track_caller]
fn check(tool: Option<&str>, facade: Option<&str>, expected: &str) {
    let found = |name: Option<&str>| {
        name.map(|name| if name == "itself" { FoundCrate::Itself } else { FoundCrate::Name(name.to_owned()) })
    };
    let path = resolve(found(tool).as_ref(), found(facade).as_ref(), "windlass_tool_args", "tool");
    assert_eq!(text(&path, "derived"), format!("{expected}::derived"));
}

#[test]
fn the_runtime_is_found_directly_or_through_the_facade() {
    check(Some("windlass_tool_args"), None, "::windlass_tool_args");
    check(Some("renamed"), None, "::renamed");
    check(None, Some("windlass"), "::windlass::tool");
    check(None, Some("w"), "::w::tool");
    check(Some("windlass_tool_args"), Some("windlass"), "::windlass_tool_args");
    check(Some("itself"), None, "::windlass_tool_args");
    check(None, Some("itself"), "::windlass::tool");
    check(None, None, "::windlass_tool_args");
    let facade = FoundCrate::Name("w".to_owned());
    let path = resolve(None, Some(&facade), "windlass_cassette", "cassette");
    assert_eq!(text(&path, "test_run"), "::w::cassette::test_run");
}
