//! `edit_file`.

use std::fs;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use windlass_protocol::{Arguments, CallId, Content, Payload};
use windlass_sandbox::{Version, Workspace};
use windlass_tool::{Context, Tool, ToolError};
use windlass_tools_edit::EditFile;

struct Scene(TempDir, Arc<Workspace>, EditFile);

impl Scene {
    fn new(content: &[u8]) -> Self {
        let folder = tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), content).unwrap();
        let workspace = Arc::new(Workspace::open(folder.path()).unwrap());
        let tool = EditFile::new(Arc::clone(&workspace));
        Self(folder, workspace, tool)
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.0.path().join("a.txt")).unwrap()
    }

    fn edit(&self, old: &str, new: &str, more: &Value) -> Result<String, String> {
        let mut arguments = json!({"path": "a.txt", "old_text": old, "new_text": new});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let payload = Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() };
        let ctx = Context::new(CallId::new("call_1").unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        match runtime.block_on(self.2.call(&ctx, &payload)) {
            Ok(output) => match output.content.first() {
                Some(Content::Text { text }) => Ok(text.clone()),
                other => panic!("{other:?}"),
            },
            Err(ToolError::Model(text)) => Err(text.wire_text()),
            Err(other) => panic!("{other}"),
        }
    }
}

#[track_caller]
fn check(before: &str, old: &str, new: &str, after: &str) {
    let scene = Scene::new(before.as_bytes());
    scene.edit(old, new, &json!({})).unwrap();
    assert_eq!(String::from_utf8(scene.bytes()).unwrap(), after);
}

/// The edit is refused with these words, and the file is byte-identical (E1).
#[track_caller]
fn check_refused(before: &[u8], old: &str, new: &str, more: &Value, words: &str) {
    let scene = Scene::new(before);
    let met = scene.edit(old, new, more).unwrap_err();
    assert!(met.contains(words), "{met}");
    assert_eq!(scene.bytes(), before);
}

// E3
#[test]
fn line_ends_marks_and_trailing_spaces_stay() {
    check("a\nb\nc\n", "b", "x", "a\nx\nc\n");
    check("a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n");
    check("a\r\nb\r\nc", "a\nb\n", "a\nx\n", "a\r\nx\r\nc");
    check("a  \nb\nc", "a\nb\nc\n", "a\nb\nd\n", "a  \nb\nd");
    check("a\nb\r\nc \n", "a\nb\nc\n", "a\nx\nb\nc\n", "a\nx\nb\r\nc \n");
    check("\u{feff}a\nb", "a\n", "x\n", "\u{feff}x\nb");
    check("a\n\tb  \n", "a\n", "", "\tb  \n");
    // A remaining line keeps its line end, even if it becomes the last line.
    check("a\nb", "a\nb\n", "a\n", "a\n");
    check("&lt;", "&lt;", "&amp;lt;", "&amp;lt;");
}

// E2
#[test]
fn ambiguity_is_an_error_that_lists_the_lines() {
    check_refused(b"x\ny\nx\n", "x", "z", &json!({}), "2 times, at lines 1, 3");
    check_refused(b"a \nb\na \n", "a\n", "z\n", &json!({}), "white space at line ends");
    check_refused(b"a \nb\na \n", "a\n", "z\n", &json!({"replace_all": true}), "2 times");
    check_refused(b"x x\n", "x", "z", &json!({"expected_count": 3}), "2 times and not 3");
    let scene = Scene::new(b"x\ny\nx\n");
    scene.edit("x", "z", &json!({"replace_all": true})).unwrap();
    scene.edit("z", "w", &json!({"expected_count": 2})).unwrap();
    assert_eq!(scene.bytes(), b"w\ny\nw\n");
}

#[test]
fn a_missing_text_is_answered_with_the_nearest_lines() {
    let text = b"fn one() {}\nfn two(count: u32) {}\nfn three() {}\n";
    check_refused(text, "fn two(count: u64) {}", "x", &json!({}), "at line 2:\n     1\tfn one");
    check_refused(text, "zzzzzz", "x", &json!({}), "No line is similar");
    check_refused(text, "", "x", &json!({}), "old_text is empty");
    check_refused(text, "one", "one", &json!({}), "the same");
}

// E8
#[test]
fn files_that_are_not_utf8_are_refused_by_kind() {
    check_refused(b"a\0b", "a", "x", &json!({}), "`a.txt` is a binary file");
    check_refused(b"\xff\xfea\0b", "a", "x", &json!({}), "not complete UTF-16 text");
    check_refused(b"\xff\xfe\0\0a\0\0\0", "a", "x", &json!({}), "UTF-32");
    check_refused(b"th\xe9 a\n", "a", "\u{3b1}", &json!({}), "cannot be written in Windows-1252");
    // The letter of 0x83 0x65 is unknown, and so is the encoding of another letter.
    check_refused(b"\x83e a\n", "a", "\u{e9}", &json!({}), "only plain ASCII can be added");
    check_refused(b"\x83e\n", "e", "x", &json!({}), "does not occur in");
}

// E8
#[test]
fn other_encodings_are_edited_in_their_own_letters() {
    let edited = |before: &[u8], old: &str, new: &str| {
        let scene = Scene::new(before);
        let told = scene.edit(old, new, &json!({})).unwrap();
        (scene.bytes(), told)
    };
    let (bytes, told) = edited(b"Un caf\xe9\r\nbon\r\n", "caf\u{e9}\nbon", "th\u{e9}\nbon \u{20ac}");
    assert_eq!(bytes, b"Un th\xe9\r\nbon \x80\r\n");
    assert!(
        told.starts_with("edited a.txt (Windows-1252): 1 replaced") && told.contains("-Un caf\u{e9}"),
        "{told}"
    );
    let (bytes, told) = edited(b"\xff\xfea\0\r\0\n\0b\0", "b", "\u{1f600}");
    assert_eq!(bytes, b"\xff\xfea\0\r\0\n\0\x3d\xd8\x00\xde");
    assert!(told.contains("(UTF-16LE)"), "{told}");
    assert_eq!(edited(b"\xfe\xff\0a\0\n", "a", "b").0, b"\xfe\xff\0b\0\n");
    assert_eq!(edited(b"\x83e\x81 a\n", "a", "b").0, b"\x83e\x81 b\n");
}

// E5
#[test]
fn a_file_that_changed_since_it_was_read_is_refused_with_its_text() {
    let scene = Scene::new(b"one\ntwo\n");
    scene.1.remember(&scene.1.resolve("a.txt").unwrap(), Version::compute(b"one\n"));
    let met = scene.edit("two", "2", &json!({})).unwrap_err();
    assert!(met.contains("changed since it was read") && met.contains("     2\ttwo"), "{met}");
    assert_eq!(scene.bytes(), b"one\ntwo\n");
    scene.1.remember(&scene.1.resolve("a.txt").unwrap(), Version::compute(b"one\ntwo\n"));
    let told = scene.edit("two", "2", &json!({})).unwrap();
    assert!(told.starts_with("edited a.txt: 1 replaced, at line 2\n--- a/a.txt"), "{told}");
    assert!(told.contains("-two\n+2\n"), "{told}");
    scene.edit("2", "3", &json!({})).unwrap();
}

// F43: a file counts as changed if its bytes changed; time and length are not compared.
#[test]
fn a_touched_file_is_unchanged_but_an_equal_length_edit_is_detected() {
    let scene = Scene::new(b"one\ntwo\n");
    let (file, path) = (scene.0.path().join("a.txt"), scene.1.resolve("a.txt").unwrap());
    scene.1.remember(&path, Version::compute(b"one\ntwo\n"));
    let time = fs::metadata(&file).unwrap().modified().unwrap();
    fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_modified(time + std::time::Duration::from_secs(9))
        .unwrap();
    scene.edit("two", "2", &json!({})).unwrap();
    let time = fs::metadata(&file).unwrap().modified().unwrap();
    fs::write(&file, b"uno\n2\n").unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    let met = scene.edit("2", "3", &json!({})).unwrap_err();
    assert!(met.contains("changed since it was read") && met.contains("     1\tuno"), "{met}");
    assert_eq!(scene.bytes(), b"uno\n2\n");
}

// F49
#[cfg(unix)]
#[test]
fn modes_and_links_are_kept_and_a_hard_link_is_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    for mode in [0o755, 0o600, 0o644] {
        let scene = Scene::new(b"one\n");
        let file = scene.0.path().join("a.txt");
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        fs::rename(&file, scene.0.path().join("real")).unwrap();
        symlink("real", &file).unwrap();
        scene.edit("one", "two", &json!({})).unwrap();
        assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, mode);
        fs::hard_link(scene.0.path().join("real"), scene.0.path().join("twin")).unwrap();
        assert!(scene.edit("two", "three", &json!({})).unwrap_err().contains("hard-linked"));
        assert_eq!(scene.bytes(), b"two\n");
    }
}

// H3, H14
#[test]
fn an_edit_shows_its_diff_and_changes_nothing() {
    let scene = Scene::new(b"one\ntwo\n");
    let inspect = |old: &str| {
        let arguments = json!({"path": "a.txt", "old_text": old, "new_text": "2"});
        scene.2.inspect(&Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() })
    };
    let seen = inspect("two");
    assert_eq!(seen.changes[0].diff, "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    assert_eq!(seen.targets[0].digest, Some(Version::compute(b"one\ntwo\n").to_string()));
    assert_eq!(scene.bytes(), b"one\ntwo\n");
    // An edit that would fail has no diff to approve.
    for old in ["none", "", "o"] {
        assert_eq!(inspect(old).changes, []);
    }
}

fn line() -> impl Strategy<Value = String> {
    ("[ab\u{fc} \t]{0,4}", prop::sample::select(vec!["\n", "\r\n"])).prop_map(|(text, end)| text + end)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    // E1, E3: whatever the line ends, the mark and the final newline, the bytes before and after stay.
    #[test]
    fn bytes_outside_the_hunk_are_identical(
        mark in prop::sample::select(vec!["", "\u{feff}"]),
        before in prop::collection::vec(line(), 0..6),
        hunk in prop::collection::vec(line(), 1..4),
        after in prop::collection::vec(line(), 0..6),
        tail in "[ab]{0,3}",
        new in "[xy\n]{0,6}",
    ) {
        let (before, after) = (mark.to_owned() + &before.concat(), after.concat() + &tail);
        let old = format!("<{}>", hunk.concat());
        let text = format!("{before}{old}{after}");
        let asked = old.replace("\r\n", "\n");
        let scene = Scene::new(text.as_bytes());
        let told = scene.edit(&asked, &new, &json!({}));
        prop_assert!(told.is_ok(), "{told:?}");
        let met = String::from_utf8(scene.bytes()).unwrap();
        prop_assert!(met.starts_with(&before) && met.ends_with(&after), "{met:?}");
        let middle = &met[before.len()..met.len() - after.len()];
        // Unchanged lines keep the file's white space at their ends.
        let plain = |text: &str| text.split('\n').map(|it| it.trim_end().to_owned()).collect::<Vec<_>>();
        prop_assert_eq!(plain(middle), plain(&new));
    }

    // E1: a refused edit changes no byte.
    #[test]
    fn a_refused_edit_changes_nothing(text in prop::collection::vec(any::<u8>(), 0..60), old in "[a-c\n]{0,3}") {
        let scene = Scene::new(&text);
        if scene.edit(&old, "zz", &json!({})).is_err() {
            prop_assert_eq!(scene.bytes(), text);
        }
    }
}
