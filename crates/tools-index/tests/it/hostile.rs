//! Files that are written to break their readers.

use std::fs;
use std::time::{Duration, Instant};

use proptest::prelude::{ProptestConfig, any, prop, proptest};
use serde_json::json;
use windlass_tools_index::{Gap, MAX_SOURCE_BYTES, outline};

use super::{call, scene};

const NAMES: &[&str] = &["a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.go", "a.java", "a.c", "a.sh", "a"];

/// Pieces of all the languages, so that random mixtures are often nearly valid.
const PIECES: &[&str] = &[
    "fn f(",
    "impl ",
    "match x { ",
    "/// doc\n",
    "#[derive(A)]\n",
    "def f():\n",
    "  ",
    "\"\"\"",
    "class A",
    "{",
    "}",
    "(",
    ")",
    "=>",
    "function ",
    "const x = ",
    "`${",
    "package a\n",
    "type T struct",
    "func (",
    "if ",
    "else ",
    "#define A \\\n",
    "struct s ",
    "/*",
    "*/",
    "//",
    "\n",
    "\r\n",
    "\"",
    "'",
    "case ",
    "esac",
    "$(",
    "<<EOF\n",
    "EOF\n",
    "\u{feff}",
    "\0",
    "ü",
    "@a ",
    ";",
    ":",
    ",",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_break_an_outline(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for name in NAMES {
            outline(name.as_ref(), &bytes, &|| false);
        }
    }

    #[test]
    fn no_order_of_pieces_breaks_an_outline(order in prop::collection::vec(0..PIECES.len(), 0..60)) {
        let source: String = order.into_iter().map(|at| PIECES[at]).collect();
        for name in NAMES {
            let found = outline(name.as_ref(), source.as_bytes(), &|| false);
            let lines = found.lines;
            assert_eq!(lines.total, lines.code + lines.comment + lines.blank);
            for symbol in found.symbols {
                assert!(symbol.start <= symbol.first && symbol.first <= symbol.last, "{symbol:?}");
                assert!(symbol.last <= lines.total.max(1), "{symbol:?} of {lines:?}");
            }
        }
    }
}

#[test]
fn deep_nesting_ends_without_a_stack() {
    let begin = Instant::now();
    for (name, open) in [
        ("a.rs", "fn f() {"),
        ("a.rs", "(["),
        ("a.js", "function f() {"),
        ("a.js", "[["),
        ("a.ts", "a ? "),
        ("a.py", "(["),
        ("a.go", "func() {"),
        ("a.java", "class A {"),
        ("a.c", "if (x) {"),
        ("a.c", "*("),
        ("a.sh", "$("),
        ("a.sh", "if a; then "),
    ] {
        let source = open.repeat(100_000);
        let found = outline(name.as_ref(), source.as_bytes(), &|| false);
        assert!(found.gap.is_some(), "{name} {open}");
    }
    assert!(begin.elapsed() < Duration::from_mins(2));
}

#[test]
fn a_stopped_or_oversized_source_reports_its_gap() {
    let long = "fn f() {}\n".repeat(MAX_SOURCE_BYTES / 10 + 1);
    assert_eq!(outline("a.rs".as_ref(), long.as_bytes(), &|| false).gap, Some(Gap::TooLong));
    let source = "fn f() {}\n".repeat(10_000);
    let found = outline("a.rs".as_ref(), source.as_bytes(), &|| true);
    assert_eq!((found.gap, found.symbols.len(), found.lines.total), (Some(Gap::Stopped), 0, 10_000));
}

// H3, H6: the index does not follow a link out of the workspace, and does not open a file with the name of a secret.
#[cfg(unix)]
#[test]
fn no_link_leads_out_and_no_secret_is_opened() {
    let (folder, workspace) = scene(&[("keys/id_rsa", "fn needle() {}"), ("a.rs", "fn a() {}")]);
    fs::write(folder.path().join("secret.rs"), "fn needle() {}").unwrap();
    let work = folder.path().join("work");
    std::os::unix::fs::symlink("../secret.rs", work.join("link.rs")).unwrap();
    std::os::unix::fs::symlink("..", work.join("up")).unwrap();
    let text = call(&workspace, "indexer_search_code", &json!({"query": "needle"})).unwrap();
    assert!(text.starts_with("[no symbol of that name in ., 1 files"), "{text}");
    assert!(text.contains("1 files with names of secrets were passed over"), "{text}");
    for path in ["link.rs", "up/secret.rs", "../secret.rs"] {
        for name in ["indexer_analyze_file", "indexer_extract_symbols", "indexer_detect_language"] {
            call(&workspace, name, &json!({"path": path})).unwrap_err();
        }
    }
}

// correctness-3 6: at this depth the former walk took minutes.
#[test]
fn a_deep_tree_is_walked_in_linear_time() {
    let source = format!("{}fn wombat() {{}}{}", "mod a {".repeat(30_000), "}".repeat(30_000));
    let begin = Instant::now();
    let found = outline("big.rs".as_ref(), source.as_bytes(), &|| false);
    // A parse and a walk end after two seconds each, whatever the file contains.
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    assert!(found.gap.is_some() || !found.symbols.is_empty());
}

// correctness-3 11
#[test]
fn braces_that_are_too_deep_are_refused_and_do_not_panic() {
    let glob = format!("{}a{}", "{".repeat(330), "}".repeat(330));
    let (_folder, workspace) = scene(&[("a.rs", "fn a() {}\n")]);
    let told = call(&workspace, "indexer_search_files", &json!({"query": "a", "glob": glob}));
    assert!(told.unwrap_err().contains("deep"));
}
