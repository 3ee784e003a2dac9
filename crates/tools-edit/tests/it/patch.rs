//! `apply_patch`.

use std::fs;

use windlass_protocol::{Effect, TargetKind};
use windlass_sandbox::Version;

use crate::scene::Scene;

fn patch(body: &str) -> String {
    format!("*** Begin Patch\n{body}\n*** End Patch")
}

fn update(hunks: &str) -> String {
    patch(&format!("*** Update File: a.txt\n{hunks}"))
}

#[track_caller]
fn check(before: impl AsRef<[u8]>, hunks: &str, after: impl AsRef<[u8]>) {
    let scene = Scene::new(&[("a.txt", before.as_ref())]);
    scene.apply(&update(hunks)).unwrap();
    let met = scene.bytes("a.txt");
    assert_eq!(met, after.as_ref(), "{}", String::from_utf8_lossy(&met));
}

/// The patch is refused with these words, and nothing is changed (E1, E4).
#[track_caller]
fn check_refused(before: impl AsRef<[u8]>, patch: &str, words: &str) {
    let scene = Scene::new(&[("a.txt", before.as_ref())]);
    let tree = scene.tree();
    let met = scene.apply(patch).unwrap_err();
    assert!(met.contains(words), "{met}");
    assert_eq!(scene.tree(), tree);
    assert_eq!(fs::read(scene.folder.path().join("secret")).unwrap(), b"secret");
}

// E3: bytes that the patch does not touch are unchanged.
#[test]
fn line_ends_marks_spaces_and_the_final_newline_stay() {
    check("a\r\nb\r\nc\r\n", "@@\n a\n-b\n+x\n+y\n c", "a\r\nx\r\ny\r\nc\r\n");
    check("a\r\nb\nc\r\n", "@@\n-b\n+x", "a\r\nx\nc\r\n");
    check("a\r\nb\nc\r\n", "@@\n a\n+x\n b\n", "a\r\nx\r\nb\nc\r\n");
    check("a\nb", "@@\n-b\n+x", "a\nx");
    check("a\nb", "@@\n b\n+c", "a\nb\nc");
    check("a\nb", "@@\n-a\n+x", "x\nb");
    check("a\nb", "@@\n a\n-b", "a\n");
    check("\u{feff}a\nb\n", "@@\n-a\n+x", "\u{feff}x\nb\n");
    check("a  \nb\t\nc\n", "@@\n a\n-b\n+x\n c", "a  \nx\nc\n");
    check("", "@@\n+a\n+b", "a\nb\n");
    check("a\n\n\nb\n", "@@\n a\n\n-\n b", "a\n\nb\n");
    check("a\n", "@@\n a\n+&lt;b&gt;", "a\n&lt;b&gt;\n");
}

// PAT-007, F46
#[test]
fn files_that_are_not_utf8_are_patched_by_bytes_or_refused() {
    check(b"caf\xe9\nprice: 5\n", "@@\n-price: 5\n+price: 7", b"caf\xe9\nprice: 7\n");
    check(b"\x83\x65\x83\x58\nold\n\xff\n", "@@\n-old\n+new", b"\x83\x65\x83\x58\nnew\n\xff\n");
    check(b"\xff", "@@\n+a", b"\xff\na");
    check(
        b"caf\xe9\nprice: 5\n",
        "@@\n caf\u{e9}\n-price: 5\n+price: 5 \u{20ac}",
        b"caf\xe9\nprice: 5 \x80\n",
    );
    check_refused(b"caf\xe9\nprice: 5\n", &update("@@\n-price: 5\n+\u{3b1}"), "Windows-1252");
    check_refused(b"\x83e\nold\n", &update("@@\n-old\n+price: 5 \u{20ac}"), "plain ASCII");
    check_refused(b"\x83e\n", &update("@@\n-\u{83}e\n+x"), "do not occur in");
    check(b"\xff\xfea\0\r\0\n\0b\0", "@@\n a\n-b\n+c", b"\xff\xfea\0\r\0\n\0c\0");
}

// PAT-013, F47
#[test]
fn binary_files_are_refused_by_name() {
    check_refused(b"\x7fELF\x02\x00\na\n", &update("@@\n-a\n+b"), "`a.txt` is a binary");
    check_refused(b"\xff\xfea\x00\n\x00\x00\x00", &update("@@\n-a\n+b"), "a binary file");
}

// PAT-009, E2
#[test]
fn a_place_that_is_not_the_only_one_is_refused() {
    check_refused("dup\nx\ndup\n", &update("@@\n-dup\n+y"), "any of the lines 1, 3 of `a.txt`");
    check_refused("a \nb\na \n", &update("@@\n-a\n+y"), "any of the lines 1, 3");
    check_refused("a\n", &update("@@\n-b\n+y"), "do not occur in `a.txt`");
    check_refused(
        "fn two(a: u32) {}\n",
        &update("@@\n-fn two(a: u64) {}\n+y"),
        "nearest is at line 1:\n     1\tfn two",
    );
    check("a \nb\na\n", "@@\n-a\n+y", "a \nb\ny\n");
    check("dup\nx\ndup\n", "@@\n x\n-dup\n+y", "dup\nx\ny\n");
    check("dup\nx\ndup\n", "@@\n-dup\n+y\n*** End of File", "dup\nx\ny\n");
    check_refused("a\nb\n", &update("@@\n-a\n+y\n*** End of File"), "do not occur in");
    // The target of a later hunk is below the earlier one.
    check("a\ndup\nb\ndup\n", "@@\n b\n@@\n-dup\n+y".replace(" b\n", "-b\n+c\n").as_str(), "a\ndup\nc\ny\n");
    check_refused("a\nb\n", &update("@@\n-a\n-b\n+x\n@@\n b\n+y"), "the same lines");
}

#[test]
fn anchors_choose_the_place() {
    let code = "fn one() {\n    done()\n}\n\nfn two() {\n    done()\n}\n";
    let two = code.replace("two() {\n    done()", "two() {\n    more()");
    check(code, "@@ fn two() {\n-    done()\n+    more()", &two);
    check(code, "@@ fn two\n-    done()\n+    more()", &two);
    check(code, "@@ fn two() { @@\n-    done()\n+    more()", &two);
    check(code, "@@ -6,1 +6,1 @@ fn two() {\n-    done()\n+    more()", &two);
    check(code, "@@ fn one() {\n-    done()\n+    more()", code.replacen("done", "more", 1));
    check(code, "@@ fn two() {\n+    first();", code.replace("two() {\n", "two() {\n    first();\n"));
    check_refused(code, &update("@@ fn three() {\n-    done()\n+    more()"), "no line `fn three() {`");
    check_refused(
        code,
        &update("@@ }\n-    done()\n+    more()").replace("@@ }", "@@ -1,1 +1,1 @@"),
        "lines 2, 6",
    );
    let nested = "class A:\n  def f():\n    x\n  def g():\n    x\nclass B:\n  def f():\n    x\n";
    let inner = "class A:\n  def f():\n    x\n  def g():\n    x\nclass B:\n  def f():\n    y\n";
    check(nested, "@@ class B:\n@@ def f():\n-    x\n+    y", inner);
    check(nested, "@@ class B:\n-    x\n+    y", inner);
    check_refused(nested, &update("@@ class A:\n-    x\n+    y"), "lines 3, 5");
    check_refused(nested, &update("@@ def f():\n-    x\n+    y"), "lines 3, 8");
    check_refused(nested, &update("@@ def f():\n+    y"), "lines 2, 7");
}

// E6
#[test]
fn wrappers_headers_and_line_ends_of_other_tools_are_understood() {
    let (before, after) = (&[("a.txt", &b"a\nb\n"[..])], b"a\nx\n");
    let plain = update("@@\n a\n-b\n+x");
    let unified =
        update("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+x\n\\ No newline at end of file");
    for patch in [
        format!("```\n{plain}\n```"),
        format!("```diff\n{plain}\n```\n"),
        format!("apply_patch <<'EOF'\n{plain}\nEOF\n"),
        format!("<<\"PATCH\"\n{plain}\nPATCH"),
        plain.replace('\n', "\r\n"),
        format!("{}\r\n", plain.replace('\n', "\r\n")),
        plain.replace("@@\n", ""),
        plain.replace("+x", "+x\n\n"),
        unified,
    ] {
        let scene = Scene::new(before);
        scene.apply(&patch).unwrap();
        assert_eq!(scene.bytes("a.txt"), after, "{patch}");
    }
}

#[test]
fn an_invalid_patch_is_refused_with_its_line() {
    let refused = |text: &str, words: &str| check_refused("a\nb\n", text, words);
    refused("", "begin with the line");
    refused("*** Update File: a.txt\n@@\n-a\n+x", "begin with the line");
    refused("*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+x", "Check whether the patch is cut.");
    refused("*** Begin Patch\n*** End Patch", "has no file");
    refused(&patch("*** Frobnicate File: a"), "line 2 of the patch is not a header");
    refused(&patch("*** Add File:\n+x"), "line 2 of the patch has no path");
    refused(&patch("*** Add File: b\nx"), "line 3 of the patch is inside a new file");
    refused(&update("@@\n-a\n+x\n?"), "line 6 of the patch begins with neither");
    refused(&update("@@\n a"), "changes nothing");
    refused(&patch("*** Update File: a.txt"), "changes nothing");
    refused(&update("@@\n-a\n+a"), "already has this content");
    refused(&"x".repeat(5 << 20), "bytes, at most");
    refused(&patch(&"*** Delete File: a\n".repeat(300)), "more than");
}

// F54: a failure changes no file, and all problems are reported together.
#[test]
fn a_failure_in_one_file_changes_none() {
    let good = "*** Add File: new/deep/b.txt\n+b\n*** Update File: a.txt\n@@\n-a\n+x\n";
    for (bad, words) in [
        ("*** Update File: none.txt\n@@\n-a\n+b", "`none.txt` does not exist"),
        ("*** Delete File: none.txt", "`none.txt` does not exist"),
        ("*** Delete File: folder", "`folder` is a folder"),
        ("*** Add File: kept.txt\n+x", "`kept.txt` exists already"),
        ("*** Update File: c.txt\n*** Move to: kept.txt", "`kept.txt` exists already"),
        ("*** Update File: c.txt\n*** Move to: folder", "`folder` is a folder already"),
        ("*** Update File: c.txt\n@@\n-none\n+x", "do not occur in `c.txt`"),
        ("*** Update File: c.txt\n*** Move to: ../secret", "outside"),
        ("*** Add File: ../x\n+x", "outside"),
        ("*** Add File: /etc/cron.d/x\n+x", "outside"),
        ("*** Add File: a.txt/x\n+x", "not a folder"),
        ("*** Delete File: ./a.txt", "`a.txt` is named twice"),
        ("*** Add File: new/deep/../deep/b.txt\n+x", "`new/deep/b.txt` is named twice"),
    ] {
        let scene =
            Scene::new(&[("a.txt", b"a\n"), ("c.txt", b"c\n"), ("kept.txt", b"kept"), ("folder/x", b"")]);
        let before = scene.tree();
        let met = scene.apply(&patch(&format!("{good}{bad}"))).unwrap_err();
        assert!(met.contains(words) && met.contains("nothing was changed"), "{met}");
        assert_eq!(scene.tree(), before, "{bad}");
    }
    let scene = Scene::new(&[("a.txt", b"a\n")]);
    let both = patch("*** Update File: a.txt\n@@\n-z\n+x\n*** Delete File: none");
    let met = scene.apply(&both).unwrap_err();
    assert!(met.contains("`a.txt`") && met.contains("`none`"), "{met}");
}

#[test]
fn moves_keep_the_bytes_and_the_mode() {
    let scene = Scene::new(&[("bin/run", b"#!/bin/sh\nold\n"), ("logo", b"\x89PNG\x00")]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(scene.at("bin/run"), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let moves = "*** Update File: bin/run\n*** Move to: tools/run\n@@\n-old\n+new\n*** Update File: logo\n*** Move to: art/logo";
    let told = scene.apply(&patch(moves)).unwrap();
    assert!(told.starts_with("patched 2 files:\nR bin/run -> tools/run\nR logo -> art/logo\n"), "{told}");
    assert_eq!(scene.bytes("tools/run"), b"#!/bin/sh\nnew\n");
    assert_eq!(scene.bytes("art/logo"), b"\x89PNG\x00");
    assert!(!scene.at("bin/run").exists() && !scene.at("logo").exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(scene.at("tools/run")).unwrap().permissions().mode() & 0o7777, 0o755);
    }
    // E6: moving a file to its own path does not delete it.
    let itself = "*** Update File: tools/run\n*** Move to: ./tools/run\n@@\n-new\n+newer";
    scene.apply(&patch(itself)).unwrap();
    assert_eq!(scene.bytes("tools/run"), b"#!/bin/sh\nnewer\n");
}

// E5
#[test]
fn a_file_that_changed_since_it_was_read_is_refused() {
    let scene = Scene::new(&[("a.txt", b"one\ntwo\n")]);
    let path = scene.workspace.resolve("a.txt").unwrap();
    scene.workspace.remember(&path, Version::compute(b"one\n"));
    let met = scene.apply(&update("@@\n-two\n+2")).unwrap_err();
    assert!(met.contains("changed since it was read") && met.contains("     2\ttwo"), "{met}");
    scene.workspace.remember(&path, Version::compute(b"one\ntwo\n"));
    scene.apply(&update("@@\n-two\n+2")).unwrap();
    // The model knows the content that the patch wrote.
    assert_eq!(scene.workspace.last_seen_version(&path), Some(Version::compute(b"one\n2\n")));
    scene.apply(&patch("*** Add File: b.txt\n+b")).unwrap();
    assert!(scene.workspace.last_seen_version(&scene.workspace.resolve("b.txt").unwrap()).is_some());
}

// H6, POL-027, CFG-025
#[test]
fn effects_name_every_path_even_of_invalid_patches() {
    let scene = Scene::new(&[]);
    let write = |path: &str, bytes| Effect::Write { path: path.into(), bytes };
    let delete = |path: &str| Effect::Delete { path: path.into() };
    let all = patch(
        "*** Add File: ./a/../.git/hooks/x\n+123\n*** Delete File: b\n*** Update File: c\n*** Move to: ../d\n*** Update File: e\n@@\n+x",
    );
    let expected =
        [write(".git/hooks/x", Some(4)), delete("b"), delete("c"), write("../d", None), write("e", None)];
    assert_eq!(scene.effects(&all), expected);
    assert_eq!(scene.effects("*** Add File: .env"), [Effect::Unknown, write(".env", None)]);
    assert_eq!(scene.effects("  *** move TO:  .env  "), [Effect::Unknown, write(".env", None)]);
    assert_eq!(scene.effects("x\r*** Delete File: .env\r"), [Effect::Unknown, delete(".env")]);
    assert_eq!(scene.effects("nothing of the kind"), [Effect::Unknown]);
    // A line of a new file is not a header.
    let about = patch("*** Add File: help.md\n+*** Delete File: .env");
    assert_eq!(scene.effects(&about), [write("help.md", Some(22))]);
}

// H14
#[test]
fn a_patch_shows_its_targets_and_diffs_and_writes_nothing() {
    let scene = Scene::new(&[("a.txt", b"a\nb\n"), ("old", b"1\n"), ("gone", b"2\n")]);
    let before = scene.tree();
    let whole = patch(
        "*** Add File: new\n+n\n*** Update File: a.txt\n@@\n-b\n+x\n*** Update File: old\n*** Move to: moved\n*** Delete File: gone",
    );
    let seen = scene.inspect(&whole);
    let targets: Vec<_> = seen.targets.iter().map(|target| (target.path.as_str(), target.kind)).collect();
    let (file, missing) = (TargetKind::File, TargetKind::Missing);
    let expected = [("new", missing), ("a.txt", file), ("old", file), ("moved", missing), ("gone", file)];
    assert_eq!(targets, expected);
    assert!(seen.targets.iter().all(|target| target.digest.is_some() == (target.kind == file)));
    let diffs: Vec<_> = seen.changes.iter().map(|change| change.diff.as_str()).collect();
    assert_eq!(
        diffs,
        [
            "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n",
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+x\n",
            "rename from old\nrename to moved\n",
            "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-2\n",
        ]
    );
    assert_eq!(scene.tree(), before);
    // A patch that would fail has no diff to approve, but its targets are decided.
    let failing = scene.inspect(&update("@@\n-none\n+x"));
    assert_eq!((failing.targets.len(), failing.changes.len()), (1, 0));
    // The shown diff is the change that is made.
    scene.apply(&whole).unwrap();
    assert_eq!(scene.bytes("a.txt"), b"a\nx\n");
    assert!(!scene.at("gone").exists() && !scene.at("old").exists());
}

#[cfg(unix)]
#[test]
fn links_are_written_through_and_never_out() {
    use std::os::unix::fs::symlink;
    let scene = Scene::new(&[("a.txt", b"a\n"), (".git/config", b"a\n")]);
    symlink("a.txt", scene.at("in")).unwrap();
    symlink("../secret", scene.at("out")).unwrap();
    symlink(".git", scene.at("safe")).unwrap();
    symlink("none", scene.at("dangling")).unwrap();
    let before = scene.tree();
    for (body, words) in [
        ("*** Update File: out\n@@\n-secret\n+taken", "outside"),
        ("*** Update File: safe/config\n@@\n-a\n+b", "hidden"),
        ("*** Add File: safe/hooks/x\n+b", "hidden"),
        ("*** Add File: dangling\n+b", "is a link already"),
        ("*** Delete File: out", "is a link"),
        ("*** Update File: in\n*** Move to: b", "is a link"),
        ("*** Update File: in\n@@\n-a\n+b\n*** Update File: a.txt\n@@\n-a\n+c", "named twice"),
    ] {
        let met = scene.apply(&patch(body)).unwrap_err();
        assert!(met.contains(words), "{body}: {met}");
        assert_eq!(scene.tree(), before);
    }
    scene.apply(&patch("*** Update File: in\n@@\n-a\n+b")).unwrap();
    assert_eq!(scene.bytes("a.txt"), b"b\n");
    assert!(fs::symlink_metadata(scene.at("in")).unwrap().is_symlink());
}
