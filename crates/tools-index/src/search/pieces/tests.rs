//! Outlines of files that cannot be parsed to the end.

use std::path::Path;

use windlass_sandbox::WorkspacePath;

use super::*;

const SOURCE: &str = "/// Waits.\nfn wombat() {\n    wait();\n}\n";

fn rust() -> Option<&'static Language> {
    Language::find_by_name("rust")
}

fn names(outline: &Outline) -> Vec<&str> {
    outline.symbols.iter().map(|symbol| symbol.name.as_str()).collect()
}

// The suspicions of correctness-3: a file whose parse broke or took too long was stamped without symbols, or
// ended the search in all files.
#[test]
fn a_failed_or_slow_parse_falls_back_to_a_line_based_outline() {
    let late = || Outline { gap: Some(Gap::Stopped), ..Outline::default() };
    let met = outline_or_rough(rust(), SOURCE, &|| false, late).unwrap();
    assert_eq!(names(&met), ["wombat"]);
    let met = outline_or_rough(rust(), SOURCE, &|| false, || panic!("a grammar broke")).unwrap();
    assert_eq!(names(&met), ["wombat"]);
    assert_eq!(outline_or_rough(None, SOURCE, &|| false, late).unwrap(), Outline::default());
    // A gap of another kind keeps the parsed part.
    let cut = || Outline { gap: Some(Gap::Errors), ..Outline::default() };
    assert!(outline_or_rough(rust(), SOURCE, &|| false, cut).unwrap().symbols.is_empty());
}

#[test]
fn a_file_at_which_the_call_was_stopped_has_no_pieces() {
    let path = WorkspacePath::from_walk(Path::new("a.rs")).unwrap();
    let source = Source { path, bytes: SOURCE.as_bytes().to_vec() };
    assert!(pieces(&source, &|| true).is_none());
    assert_eq!(pieces(&source, &|| false).unwrap().len(), 1);
}
