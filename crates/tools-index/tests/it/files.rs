//! Tests of the tools that return files.

use serde_json::json;

use super::{call, scene};

#[test]
fn files_are_found_by_name_best_first() {
    let files = [
        ("src/parser.rs", ""),
        ("src/parser/error.rs", ""),
        ("docs/parser.md", ""),
        ("lib/pretty_arranger.py", ""),
        (".hidden/parser.rs", ""),
        (".gitignore", "target\n"),
        ("target/parser.rs", ""),
    ];
    let (_folder, workspace) = scene(&files);
    let search = |arguments| call(&workspace, "indexer_search_files", &arguments).unwrap();
    let all = "[3 of 3 files shown]\ndocs/parser.md\nsrc/parser.rs\nsrc/parser/error.rs\n";
    assert_eq!(search(json!({"query": "parser"})), all);
    let first = "[1 of 3 files shown; give a longer query, a glob or a path]\ndocs/parser.md\n";
    assert_eq!(search(json!({"query": "parser", "limit": 1})), first);
    let rust = "[2 of 2 files shown]\nsrc/parser.rs\nsrc/parser/error.rs\n";
    assert_eq!(search(json!({"query": "parser", "glob": "*.rs"})), rust);
    assert_eq!(search(json!({"query": "parser", "language": "rust"})), rust);
    let by_path = "[2 of 2 files shown]\nsrc/parser/error.rs\nsrc/parser.rs\n";
    assert_eq!(search(json!({"glob": "src/**/*.rs"})), by_path);
    assert_eq!(search(json!({"path": "src"})), by_path);
    assert_eq!(search(json!({"query": "pretarr"})), "[1 of 1 files shown]\nlib/pretty_arranger.py\n");
    assert_eq!(search(json!({"query": "src error"})), "[1 of 1 files shown]\nsrc/parser/error.rs\n");
    let none = search(json!({"query": "zebra"}));
    assert_eq!(none, "[no file fits in .; try a shorter query, or list_files]");
}

#[test]
fn ignore_files_that_cannot_be_used_are_reported() {
    let long = "a*".repeat(2_000);
    let files = [
        ("parser.rs", ""),
        (".gitignore", long.as_str()),
        ("sub/parser.rs", ""),
        ("sub/.ignore", long.as_str()),
    ];
    let (_folder, workspace) = scene(&files);
    let text = call(&workspace, "indexer_search_files", &json!({"query": "parser"})).unwrap();
    let expected = "[1 of 1 files shown; .gitignore cannot be read, so no file of that name was applied; \
        1 folders were left out because their ignore files cannot be read]\nparser.rs\n";
    assert_eq!(text, expected);
}

#[test]
fn languages_are_detected_by_name_first_line_and_content() {
    let files = [
        ("a.rs", ""),
        ("Makefile", "all:\n"),
        ("Dockerfile.dev", "FROM x\n"),
        ("one.h", "int x;\n"),
        ("two.h", "namespace a {\n"),
        ("run", "#!/usr/bin/env -S python3.11 -u\n"),
        ("start", "#!/bin/sh\n"),
        ("modeline", "# vim: set ft=ruby :\n"),
        ("page", "<!DOCTYPE html>\n<p>"),
        ("values", "{\n \"a\": 1}"),
        ("source", "package main\n\nfunc main() {}\n"),
        ("words", "nothing in particular"),
        ("bytes", "a\0b"),
    ];
    let (_folder, workspace) = scene(&files);
    let check = |path: &str, expected: &str| {
        let text = call(&workspace, "indexer_detect_language", &json!({"path": path})).unwrap();
        assert!(text.starts_with(&format!("{path}: {expected}")), "{text}");
    };
    check("a.rs", "rust, by its name (0 bytes)");
    check("Makefile", "makefile, by its name");
    check("Dockerfile.dev", "dockerfile, by its name");
    check("one.h", "c, by its name");
    check("two.h", "cpp, by its name");
    check("run", "python, by its first line");
    check("start", "bash, by its first line");
    check("modeline", "ruby, by its first line");
    check("page", "html, by its content");
    check("values", "json, by its content");
    check("source", "go, by its content");
    check("words", "no known language (21 bytes)");
    check("bytes", "no known language (3 bytes; it holds binary data)");
}
