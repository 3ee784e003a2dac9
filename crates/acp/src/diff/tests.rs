//! Tests of diffs.

use std::path::Path;

use serde_json::json;

use super::{Hunk, parse, to_content};

fn hunk(old: &str, new: &str) -> Hunk {
    Hunk { old: old.to_owned(), new: new.to_owned() }
}

#[test]
fn each_hunk_has_its_old_and_new_text() {
    let diff = "--- a/x.txt\n+++ b/x.txt\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -9 +9,2 @@\n--- minus\n+++ plus\n+\n\
                --- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n";
    let files = parse(diff);
    assert_eq!(files.len(), 2);
    assert_eq!(files[0].hunks, [hunk("a\nb\nc\n", "a\nB\nc\n"), hunk("-- minus\n", "++ plus\n\n")]);
    assert_eq!((files[0].is_new, files[1].is_new, files[1].path.as_str()), (false, true, "new.txt"));
    assert_eq!(files[1].hunks, [hunk("", "one")]);
}

#[test]
fn a_text_that_is_not_a_diff_is_shown_as_text() {
    let content = to_content(Path::new("/p"), "x", "the file is binary");
    assert_eq!(
        content,
        [json!({"type": "content", "content": {"type": "text", "text": "the file is binary"}})]
    );
    assert!(to_content(Path::new("/p"), "x", "").is_empty());
    let new = to_content(Path::new("/p"), "x", "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+one\n");
    assert_eq!(new, [json!({"type": "diff", "path": "/p/x", "oldText": null, "newText": "one\n"})]);
}

#[test]
fn hostile_diffs_do_not_panic() {
    for diff in [
        "@@ -1 +1 @@\n-x\n",
        "--- \n+++ \n@@ -99999999999999999999 +1 @@\n",
        "+++ é\n@@ -1 +1 @@\né\n",
        "\\ x",
    ] {
        let _ = to_content(Path::new("/p"), "x", diff);
    }
}
