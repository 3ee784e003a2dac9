//! The tools that read code.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use windlass_protocol::Effect;
use windlass_sandbox::{Access, Workspace};

use super::{call, payload, scene, tool};

const RUST: &str = "use std::fmt;\n\n/// A stack.\npub struct Stack;\n\nimpl Stack {\n    /// Takes one.\n    \
    pub fn pop(&self) -> u8 {\n        if true { 1 } else { 2 }\n    }\n}\n";
const PYTHON: &str = "def pop_all(x):\n    return x\n";

#[test]
fn symbols_are_found_by_name_kind_and_language() {
    let (_folder, workspace) = scene(&[("src/a.rs", RUST), ("b.py", PYTHON), ("c.txt", "pop")]);
    let search = |arguments| call(&workspace, "indexer_search_code", &arguments).unwrap();
    let exact = "src/a.rs:8-10 method Stack::pop: pub fn pop(&self) -> u8\n";
    let other = "b.py:1-2 function pop_all: def pop_all(x)\n";
    let two = format!("[2 of 2 symbols shown, from 2 files with code]\n{exact}{other}");
    assert_eq!(search(json!({"query": "pop"})), two);
    let one = |line: &str, files| format!("[1 of 1 symbols shown, from {files} files with code]\n{line}");
    assert_eq!(search(json!({"query": "pop", "match": "exact"})), one(exact, 2));
    assert_eq!(search(json!({"query": "Stack::pop"})), one(exact, 2));
    assert_eq!(search(json!({"query": "pop", "kind": "function"})), one(other, 2));
    assert_eq!(search(json!({"query": "pop", "language": "python"})), one(other, 1));
    assert_eq!(search(json!({"query": "pal", "match": "fuzzy"})), one(other, 2));
    assert_eq!(search(json!({"query": "^pop_", "match": "regex"})), one(other, 2));
    let none = search(json!({"query": "push"}));
    assert_eq!(
        none,
        "[no symbol of that name in ., 2 files with code looked at; try match fuzzy, or grep_file for text]"
    );
}

#[test]
fn invalid_arguments_get_an_error_with_advice() {
    let (_folder, workspace) = scene(&[("a.rs", RUST), ("b.bin", "a\0b")]);
    let bad = |name, arguments, words: &str| {
        let text = call(&workspace, name, &arguments).unwrap_err();
        assert!(text.contains(words), "{text}");
    };
    bad("indexer_search_code", json!({"query": ""}), "Give a part of a name.");
    bad("indexer_search_code", json!({"query": "(", "match": "regex"}), "Use match contains.");
    bad("indexer_search_code", json!({"query": "a", "language": "klingon"}), "languages with symbols: rust");
    bad("indexer_search_code", json!({"query": "a", "path": "../x"}), "..");
    bad("indexer_analyze_file", json!({"path": "missing.rs"}), "missing.rs");
    bad("indexer_analyze_file", json!({"path": "b.bin"}), "binary data");
    bad("indexer_extract_symbols", json!({"path": "missing"}), "missing");
    bad("indexer_extract_symbols", json!({"path": "a.rs", "kind": "verb"}), "verb");
    bad("indexer_get_metrics", json!({"path": "/etc"}), "/etc");
    bad("indexer_detect_language", json!({"path": "."}), "folder");
    bad("indexer_detect_language", json!({}), "path");
}

#[test]
fn a_file_is_shown_at_a_glance() {
    let (_folder, workspace) = scene(&[("a.rs", RUST), ("notes", "some words")]);
    let text = call(&workspace, "indexer_analyze_file", &json!({"path": "a.rs"})).unwrap();
    let expected = "[a.rs: rust, 11 lines (7 code, 2 comment, 2 blank)]\nimports (1 of 1):\n  1: use std::fmt;\n\
        symbols (3 of 3):\n  4-4 struct Stack: pub struct Stack\n  6-11 impl Stack: impl Stack\n    \
        8-10 method pop: pub fn pop(&self) -> u8\nfunctions: 1, the most complex:\n  \
        8: Stack::pop complexity 2, nesting 1\n";
    assert_eq!(text, expected);
    let text = call(&workspace, "indexer_analyze_file", &json!({"path": "notes"})).unwrap();
    assert!(text.starts_with("[notes: no known language, 1 lines"), "{text}");
}

#[test]
fn symbols_are_listed_with_what_is_written_about_them() {
    let (_folder, workspace) = scene(&[("a.rs", RUST), ("b/c.py", PYTHON), ("b/d.md", "# x")]);
    let list = |arguments| call(&workspace, "indexer_extract_symbols", &arguments).unwrap();
    let file = "[3 of 3 symbols shown, from 1 files]\na.rs:4-4 struct Stack: pub struct Stack\n    A stack.\n\
        a.rs:6-11 impl Stack: impl Stack\na.rs:8-10 method Stack::pop: pub fn pop(&self) -> u8\n    Takes one.\n";
    assert_eq!(list(json!({"path": "a.rs"})), file);
    let method =
        "[1 of 1 symbols shown, from 1 files]\na.rs:8-10 method Stack::pop: pub fn pop(&self) -> u8\n";
    assert_eq!(list(json!({"path": "a.rs", "kind": "method", "docs": false})), method);
    let page = list(json!({"path": ".", "limit": 1, "offset": 2, "docs": false}));
    assert!(
        page.starts_with("[1 of 4 symbols shown, from 2 files; continue with offset 3]\na.rs:8-10"),
        "{page}"
    );
    let text = list(json!({"path": "b/d.md"}));
    assert!(
        text.starts_with("[no symbols in b/d.md, 1 files with code looked at; its language has no grammar"),
        "{text}"
    );
}

#[test]
fn metrics_are_summed_by_language() {
    let (_folder, workspace) = scene(&[("a.rs", RUST), ("b.py", PYTHON), ("c.toml", "# x\na = 1\n\n")]);
    let text = call(&workspace, "indexer_get_metrics", &json!({})).unwrap();
    let expected = "[.: 3 files, 16 lines (10 code, 3 comment, 3 blank)]\n\
        python: 1 files, 2 lines (2 code, 0 comment, 0 blank), 1 functions of mean complexity 1.0\n\
        rust: 1 files, 11 lines (7 code, 2 comment, 2 blank), 1 functions of mean complexity 2.0\n\
        toml: 1 files, 3 lines (1 code, 1 comment, 1 blank)\n\
        the most complex functions (2 of 2):\na.rs:8 Stack::pop complexity 2, nesting 1, 3 lines\n\
        b.py:1 pop_all complexity 1, nesting 0, 2 lines\n";
    assert_eq!(text, expected);
}

// H3: the effect of a call names the path that the tool reads.
#[test]
fn the_effect_names_the_path() {
    let (_folder, workspace) = scene(&[]);
    for tool in windlass_tools_index::tools(&workspace) {
        let effect = |path: &str| vec![Effect::Read { path: path.into() }];
        assert_eq!(tool.effects(&payload(&json!({"path": "a/b"}))), effect("a/b"));
        assert_eq!(tool.effects(&payload(&json!({"path": "../y", "query": 3}))), effect("../y"));
        assert_eq!(tool.effects(&payload(&json!({}))), effect("."));
        assert!(tool.hints().read_only);
    }
}

// The project itself is the largest fixture: all of its crates can be parsed whole.
#[test]
fn this_repository_is_read_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let workspace = Arc::new(Workspace::open_for(root, Access::ReadOnly).unwrap());
    let search = tool(&workspace, "indexer_search_code");
    let arguments = json!({"query": "outline_in", "match": "exact", "path": "tools-index/src"});
    let text = super::call_tool(&*search, &arguments).unwrap();
    assert!(text.contains("tools-index/src/outline.rs:"), "{text}");
    let text = call(&workspace, "indexer_get_metrics", &json!({"path": "tools-index", "limit": 1})).unwrap();
    assert!(text.contains("\nrust: ") && text.contains("mean complexity"), "{text}");
}
