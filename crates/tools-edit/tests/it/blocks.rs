//! `apply_diff`.

use std::fs;

use serde_json::json;
use windlass_protocol::Effect;
use windlass_sandbox::Version;
use windlass_tool::Tool;
use windlass_tools_edit::ApplyDiff;

use crate::scene::{Scene, payload};

fn block(search: &str, replace: &str) -> String {
    format!("<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n")
}

fn at(line: usize, search: &str, replace: &str) -> String {
    format!("<<<<<<< SEARCH\n:start_line:{line}\n-------\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n")
}

fn apply(scene: &Scene, diff: &str) -> Result<String, String> {
    scene.call("apply_diff", &json!({"path": "a.txt", "diff": diff}))
}

#[track_caller]
fn check(before: impl AsRef<[u8]>, diff: &str, after: impl AsRef<[u8]>) {
    let scene = Scene::new(&[("a.txt", before.as_ref())]);
    let told = apply(&scene, diff).unwrap();
    assert!(told.starts_with("changed a.txt: ") && told.contains("--- a/a.txt\n+++ b/a.txt\n"), "{told}");
    let met = scene.bytes("a.txt");
    assert_eq!(met, after.as_ref(), "{}", String::from_utf8_lossy(&met));
}

/// The diff is refused with these words, and the file is byte-identical (E1).
#[track_caller]
fn check_refused(before: impl AsRef<[u8]>, diff: &str, words: &str) {
    let scene = Scene::new(&[("a.txt", before.as_ref())]);
    let met = apply(&scene, diff).unwrap_err();
    assert!(met.contains(words), "{met}");
    assert_eq!(scene.bytes("a.txt"), before.as_ref());
}

// E1, E3
#[test]
fn all_blocks_match_the_original_file() {
    let two = block("a\nb", "a\nx") + &block("c", "y\nz");
    check("a\nb\nc\n", &two, "a\nx\ny\nz\n");
    // Blocks can be in any order, and a block does not match text that an earlier block wrote.
    check("a\nb\nc\n", &(block("c", "b") + &block("b", "q")), "a\nq\nb\n");
    check("a\r\nb \r\nc", &block("a\nb\nc", "a\nnew\nb\nd"), "a\r\nnew\r\nb \r\nd");
    check("\u{feff}a\nb\n", &block("a", "x"), "\u{feff}x\nb\n");
    check("a\nb\nc\n", &block("b", "").replace("=======\n\n", "=======\n"), "a\nc\n");
    check("a\n\nc\n", &block("a\n", "a\nb\n"), "a\nb\n\nc\n");
    check("", &block("", "a\nb").replace("SEARCH\n\n", "SEARCH\n"), "a\nb\n");
    check(b"\xff\xfea\0\n\0b\0\n\0", &block("b", "\u{e9}"), b"\xff\xfea\0\n\0\xe9\0\n\0");
    check(
        "say \u{201c}hi\u{201d}\nnext\n",
        &block("say \"hi\"\nnext", "say \"hi\"\nlast"),
        "say \u{201c}hi\u{201d}\nlast\n",
    );
    // Two blocks may show the same lines, if neither changes them.
    check("a\nb\nc\n", &(block("a\nb", "x\nb") + &block("b\nc", "b\ny")), "x\nb\ny\n");
}

#[test]
fn one_block_that_does_not_fit_refuses_all() {
    let text = "fn one() {\n    a();\n    b();\n}\n";
    let bad = block("fn one() {", "fn two() {") + &block("    a();\n    c();\n}", "    d();\n}");
    check_refused(text, &bad, "line 6 do not occur in `a.txt`");
    check_refused(text, &bad, "It differs first at line 3, where the call has `    c();`");
    check_refused(text, &bad, "     3\t    b();");
    check_refused(text, &block("     1\tfn one() {\n     2\t    b()", "x"), "leave them out");
    check_refused(text, &(block("}", "x") + &block("    b();\n}", "y")), "change the same lines");
    check_refused(text, &block("    a();", "    a();"), "the same lines in place");
    check_refused(text, "no block at all", "Begin each block");
    check_refused(text, "<<<<<<< SEARCH\n    a();\n=======\n", "Check whether the diff is cut.");
    check_refused(text, &block("", "x").replace("SEARCH\n\n", "SEARCH\n"), "finds no lines");
    check_refused("a\0b\n", &block("a", "b"), "binary");
}

// E2
#[test]
fn a_line_number_breaks_a_tie_and_nothing_else() {
    let text = "x\na\nx\nb\nc\nd\ne\nf\nx\n";
    check_refused(text, &block("x", "y"), "any of the lines 1, 3, 9 of `a.txt`");
    check(text, &at(9, "x", "y"), "x\na\nx\nb\nc\nd\ne\nf\ny\n");
    check(text, &at(8, "x", "y"), "x\na\nx\nb\nc\nd\ne\nf\ny\n");
    check(text, &at(1, "x", "y"), "y\na\nx\nb\nc\nd\ne\nf\nx\n");
    // A line hint half-way between two places does not select one of them.
    check_refused(text, &at(2, "x", "y"), "any of the lines");
    check_refused(text, &at(6, "x", "y"), "any of the lines");
    // If the text has only one place, a wrong line number has no effect.
    check(text, &at(700, "d", "y"), "x\na\nx\nb\nc\ny\ne\nf\nx\n");
    // An exact match further away takes precedence over a tolerant match at the line.
    check("x \na\nx\n", &at(1, "x", "y"), "x \na\ny\n");
    // The text before a block has no influence: each block is independent.
    check_refused("x\na\nx\n", &(block("a", "b") + &block("x", "y")), "any of the lines 1, 3");
}

// E5
#[test]
fn a_file_that_changed_since_it_was_read_is_refused_with_its_text() {
    let scene = Scene::new(&[("a.txt", b"one\ntwo\n")]);
    let path = scene.workspace.resolve("a.txt").unwrap();
    scene.workspace.remember(&path, Version::compute(b"one\n"));
    let met = apply(&scene, &block("two", "2")).unwrap_err();
    assert!(met.contains("changed since it was read") && met.contains("     2\ttwo"), "{met}");
    scene.workspace.remember(&path, Version::compute(b"one\ntwo\n"));
    apply(&scene, &block("two", "2")).unwrap();
    assert_eq!(scene.workspace.last_seen_version(&path), Some(Version::compute(b"one\n2\n")));
}

// E7: conflict marks are text like any other.
#[test]
fn conflict_marks_are_resolved_with_escapes() {
    let text = "a\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> main\nb\n";
    let search = "\\<<<<<<< HEAD\nours\n\\=======\ntheirs\n\\>>>>>>> main";
    check(text, &block(search, "both &amp; all"), "a\nboth &amp; all\nb\n");
    check_refused(text, &block("<<<<<<< HEAD\nours\n=======\ntheirs", "x"), "backslash");
}

// H3, H6, H14
#[test]
fn a_diff_names_its_path_shows_its_change_and_writes_nothing() {
    let scene = Scene::new(&[("a.txt", b"one\ntwo\n")]);
    let tool = ApplyDiff::new(scene.workspace.clone());
    let seen = |diff: String| {
        let payload = payload(&json!({"path": "./b/../a.txt", "diff": diff}));
        let effects = tool.effects(&payload);
        assert_eq!(effects, [Effect::Write { path: "a.txt".into(), bytes: None }]);
        tool.inspect(&payload)
    };
    let good = seen(block("two", "2"));
    assert_eq!(good.changes[0].diff, "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    assert_eq!(good.targets[0].digest, Some(Version::compute(b"one\ntwo\n").to_string()));
    for bad in [block("none", "x"), "none".to_owned()] {
        let seen = seen(bad);
        assert_eq!((seen.targets.len(), seen.changes.len()), (1, 0));
    }
    assert_eq!(scene.bytes("a.txt"), b"one\ntwo\n");
    let outside = json!({"path": "../secret", "diff": block("secret", "taken")});
    assert!(scene.call("apply_diff", &outside).unwrap_err().contains("outside"));
    assert_eq!(fs::read(scene.folder.path().join("secret")).unwrap(), b"secret");
}
