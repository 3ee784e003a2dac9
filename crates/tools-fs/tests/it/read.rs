//! `read_file`.

use serde_json::{Value, json};
use windlass_protocol::{Content, Effect};
use windlass_tool::EarlyArguments;

use crate::scene::Scene;

/// A whole picture of one dot.
const DOT: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

#[track_caller]
fn check(content: impl AsRef<[u8]>, mut arguments: Value, expected: Result<&str, &str>) {
    let scene = Scene::new();
    scene.put("a.txt", content);
    arguments["path"] = json!("a.txt");
    match (scene.call("read_file", &arguments), expected) {
        (Ok(met), Ok(expected)) => assert_eq!(met, expected),
        (Err(met), Err(expected)) => assert!(met.contains(expected), "{met}"),
        (met, _) => panic!("{met:?}"),
    }
}

#[test]
fn lines_are_shown_with_numbers_and_totals() {
    check("one\ntwo\n", json!({}), Ok("[a.txt: lines 1-2 of 2]\n     1\tone\n     2\ttwo\n"));
    check("one\r\ntwo", json!({}), Ok("[a.txt: lines 1-2 of 2]\n     1\tone\n     2\ttwo\n"));
    check("", json!({}), Ok("[a.txt is empty]"));
    check("\u{feff}one", json!({}), Ok("[a.txt: lines 1-1 of 1]\n     1\tone\n"));
}

#[test]
fn a_page_names_the_next_offset() {
    let two = "[a.txt: lines 2-3 of 4; read on with offset 4]\n     2\tb\n     3\tc\n";
    check("a\nb\nc\nd\n", json!({"offset": 2, "limit": 2}), Ok(two));
    check("a\nb\nc\nd\n", json!({"offset": 4}), Ok("[a.txt: lines 4-4 of 4]\n     4\td\n"));
    check("a\nb\n", json!({"offset": 3}), Err("Give an offset from 1 to 2"));
    check("a\n", json!({"offset": "x"}), Err("do not fit"));
    let scene = Scene::new();
    scene.put("long", "x\n".repeat(5_000));
    let page = scene.call("read_file", &json!({"path": "long"})).unwrap();
    assert!(page.starts_with("[long: lines 1-2000 of 5000; read on with offset 2001]\n"));
    assert_eq!(page.lines().count(), 2_001);
}

#[test]
fn long_lines_and_long_pages_are_cut_with_exact_counts() {
    let scene = Scene::new();
    scene.put("wide", "ü".repeat(2_500));
    let page = scene.call("read_file", &json!({"path": "wide"})).unwrap();
    assert!(page.ends_with(" [line cut: 2000 of 2500 characters shown]\n"));
    assert_eq!(page.matches('ü').count(), 2_000);
    scene.put("heavy", format!("{}\n", "x".repeat(1_000)).repeat(500));
    let page = scene.call("read_file", &json!({"path": "heavy"})).unwrap();
    assert!(page.starts_with("[heavy: lines 1-59 of 500; read on with offset 60]"), "{}", &page[..60]);
}

// E8
#[test]
fn files_that_are_not_utf8_are_refused_by_kind() {
    check(b"a\0b", json!({}), Err("`a.txt` is a binary file of 3 bytes"));
    check(b"\xff\x01\xfe", json!({}), Err("`a.txt` is a binary file"));
    check(b"\xff\xfea\0b", json!({}), Err("not complete UTF-16 text"));
    check(b"%PDF-1.7\n\0", json!({}), Err("a PDF of 10 bytes and is not shown\nRun `pdftotext"));
    let scene = Scene::new();
    scene.put("a.docx", b"PK\x03\x04\0\0");
    let told = scene.call("read_file", &json!({"path": "a.docx"})).unwrap_err();
    assert!(told.contains("a Word document") && told.contains("pandoc"), "{told}");
}

#[test]
fn other_encodings_are_shown_and_named() {
    let wide = "[a.txt: lines 1-2 of 2, encoding UTF-16LE]\n     1\ta\n     2\t\u{e9}\n";
    check(b"\xff\xfea\0\r\0\n\0\xe9\0", json!({}), Ok(wide));
    let latin = "[a.txt: lines 1-1 of 1, encoding Windows-1252]\n     1\tUn caf\u{e9}\n";
    check(b"Un caf\xe9\n", json!({}), Ok(latin));
    let guess = "[a.txt: lines 1-1 of 1, encoding probably Shift_JIS]\n     1\t\u{30c6}\u{30b9}\u{30c8}\n";
    check(b"\x83e\x83X\x83g\n", json!({}), Ok(guess));
}

#[test]
fn several_ranges_are_shown_with_what_is_between_left_out() {
    let text: String = (1..=20).map(|line| format!("l{line}\n")).collect::<Vec<_>>().concat();
    let two = "[a.txt: lines 2-3, 18-20 of 20]\n     2\tl2\n     3\tl3\n     \u{2026}\n    18\tl18\n    19\tl19\n    20\tl20\n";
    check(&text, json!({"ranges": ["18-", "2-3"]}), Ok(two));
    check(
        &text,
        json!({"ranges": ["2-3", "3-4", "5"], "limit": 1}),
        Ok(
            "[a.txt: lines 2-5 of 20; read on with offset 6]\n     2\tl2\n     3\tl3\n     4\tl4\n     5\tl5\n",
        ),
    );
    check(&text, json!({"ranges": ["21-30"]}), Err("has 20 lines"));
    for wrong in ["0-3", "5-3", "a-b", "", "-", "1-2-3"] {
        check(&text, json!({"ranges": [wrong]}), Err("Write it as 10-20"));
    }
    let scene = Scene::new();
    scene.put("heavy", format!("{}\n", "x".repeat(1_000)).repeat(500));
    let page = scene.call("read_file", &json!({"path": "heavy", "ranges": ["1-40", "101-200"]})).unwrap();
    assert!(
        page.starts_with("[heavy: lines 1-40, 101-119 of 500; no room for more, read on with offset 120]"),
        "{}",
        &page[..80]
    );
}

#[test]
fn the_block_around_a_line_is_shown() {
    let text = "mod a;\n\n/// Says.\nfn one() {\n    if x {\n        y();\n    }\n}\n\nfn two() {}\n";
    let one = "[a.txt: lines 3-8 of 10, the block around line 6; read on with offset 9]\n     3\t/// Says.\n     4\tfn one() {\n     5\t    if x {\n     6\t        y();\n     7\t    }\n     8\t}\n";
    check(text, json!({"mode": "indentation", "indentation": {"anchor_line": 6}}), Ok(one));
    check(text, json!({"mode": "indentation", "offset": 6}), Ok(one));
    let inner = "[a.txt: lines 5-7 of 10, the block around line 6; read on with offset 8]\n     5\t    if x {\n     6\t        y();\n     7\t    }\n";
    check(
        text,
        json!({"mode": "indentation", "indentation": {"anchor_line": 6, "max_levels": 1}}),
        Ok(inner),
    );
    check(text, json!({"mode": "indentation"}), Err("Give indentation.anchor_line"));
    check(text, json!({"mode": "indentation", "offset": 11}), Err("Give an anchor_line from 1 to 10"));
    check(text, json!({"mode": "block"}), Err("do not fit"));
}

#[test]
fn several_files_have_an_outcome_each() {
    let scene = Scene::new();
    scene.put("a.txt", "one\ntwo\n");
    scene.put("b.png", DOT);
    let files = json!({"files": [{"path": "a.txt", "ranges": ["2"]}, {"path": "none"}, {"path": "../x"}, {"path": "b.png"}]});
    let output = scene.output("read_file", &files).unwrap();
    let Some(Content::Text { text }) = output.content.first() else { panic!("{output:?}") };
    assert!(
        text.starts_with("[a.txt: lines 2-2 of 2]\n     2\ttwo\n\n[none: not read: `none` does not exist]"),
        "{text}"
    );
    assert!(
        text.contains("[../x: not read: `../x` is outside")
            && text.ends_with("b.png: a picture (image/gif), 35 bytes"),
        "{text}"
    );
    assert!(matches!(output.content.get(1), Some(Content::Image(_))));
    let read = |path: &str| Effect::Read { path: path.into() };
    assert_eq!(
        scene.effects("read_file", &files),
        [read("a.txt"), read("none"), read("../x"), read("b.png")]
    );
    assert_eq!(scene.inspect("read_file", &files).targets.len(), 4);
    // A path that cannot be parsed makes the whole call unknown, and early arguments are decided early.
    assert_eq!(
        scene.effects("read_file", &json!({"files": [{"path": "a"}, {"path": 1}]})),
        [Effect::Unknown]
    );
    assert_eq!(
        scene.effects("read_file", &json!({"path": "a", "files": [{"path": "../b"}]})),
        [read("a"), read("../b")]
    );
    let mut early = EarlyArguments::default();
    early.insert("files", json!([{"path": "../b"}]));
    assert_eq!(scene.tool("read_file").early_effects(&early), [read("../b")]);
    // A file that was read can be written.
    scene.call("write_file", &json!({"path": "a.txt", "content": "new\n"})).unwrap();
    for (wrong, words) in [
        (json!({}), "Give `path` for one file"),
        (json!({"path": "a.txt", "files": [{"path": "b"}]}), "the call has both of"),
        (json!({"files": []}), "names 0 files, and it takes 1 to 20"),
        (json!({"files": [{"path": "none"}]}), "does not exist"),
        (json!({"files": [{"path": "a.txt", "offset": "x"}]}), "do not fit"),
    ] {
        let told = scene.call("read_file", &wrong).unwrap_err();
        assert!(told.contains(words), "{told}");
    }
    // Several files together are not longer than one page.
    scene.put("heavy", format!("{}\n", "x".repeat(1_000)).repeat(500));
    let many = vec![json!({"path": "heavy"}); 20];
    let page = scene.call("read_file", &json!({"files": many})).unwrap();
    assert!(page.len() < 70_000, "{}", page.len());
    assert_eq!(page.matches("[heavy: lines 1-").count(), 20);
}

#[test]
fn notebooks_are_shown_as_cells() {
    let scene = Scene::new();
    let notebook = json!({"cells": [{"cell_type": "code", "source": ["x = 1\n", "x"], "execution_count": 2,
        "outputs": [{"output_type": "execute_result", "data": {"text/plain": ["1"]}}]}], "nbformat": 4});
    scene.put("a.ipynb", notebook.to_string());
    let page = scene.call("read_file", &json!({"path": "a.ipynb"})).unwrap();
    let cells = "[a.ipynb: lines 1-5 of 5 of the notebook's text; for the file itself set raw]\n     \
                 1\t[cell 1: code, run 2]\n     2\tx = 1\n     3\tx\n     4\t[output text/plain]\n     \
                 5\t1\n";
    assert_eq!(page, cells);
    // The model has not read the file itself, so a write is refused.
    scene.call("write_file", &json!({"path": "a.ipynb", "content": "{}"})).unwrap_err();
    let raw = scene.call("read_file", &json!({"path": "a.ipynb", "raw": true})).unwrap();
    assert!(raw.contains("\"nbformat\":4"), "{raw}");
    scene.call("write_file", &json!({"path": "a.ipynb", "content": "{}"})).unwrap();
    let plain = scene.call("read_file", &json!({"path": "a.ipynb"})).unwrap();
    assert_eq!(plain, "[a.ipynb: lines 1-1 of 1]\n     1\t{}\n");
}

#[test]
fn pictures_are_shown_as_pictures() {
    let scene = Scene::new();
    scene.put("a.png", DOT);
    let output = scene.output("read_file", &json!({"path": "a.png"})).unwrap();
    let Some(Content::Image(image)) = output.content.get(1) else { panic!("{output:?}") };
    assert_eq!(image.media_type, "image/gif");
    let mut large = b"\xff\xd8\xff".to_vec();
    large.resize(5 * 1024 * 1024 + 1, 0);
    scene.put("large", large);
    assert!(scene.call("read_file", &json!({"path": "large"})).unwrap_err().contains("Make it smaller"));
}

// correctness-3 1: a provider refuses these, and every later request of the run with them.
#[test]
fn broken_wide_and_too_many_pictures_are_refused() {
    let scene = Scene::new();
    scene.put("broken.png", b"\x89PNG\r\n\x1a\nnot a picture");
    scene.put("cut.gif", &DOT[..30]);
    let mut wide = DOT.to_vec();
    wide[7] = 0x20;
    scene.put("wide.gif", wide);
    for (path, words) in
        [("broken.png", "cut or damaged"), ("cut.gif", "cut or damaged"), ("wide.gif", "8193x1")]
    {
        let told = scene.call("read_file", &json!({ "path": path })).unwrap_err();
        assert!(told.contains(words), "{told}");
    }
    scene.put("large.gif", [DOT, &vec![0; 4_000_000]].concat());
    let files: Vec<_> = (0..4).map(|_| json!({"path": "large.gif"})).collect();
    let output = scene.output("read_file", &json!({ "files": files })).unwrap();
    let Some(Content::Text { text }) = output.content.first() else { panic!("{output:?}") };
    assert_eq!(text.matches("at most 10485760 together").count(), 2, "{text}");
    assert_eq!(output.content.len(), 3);
}

// R9: the whole text of a long output can be paged, whatever a command printed.
#[test]
fn spilled_outputs_are_paged() {
    let scene = Scene::new();
    std::fs::write(scene.folder.path().join("outputs/call_1.txt"), b"a\0\xff\nb\n").unwrap();
    let page = scene.call("read_file", &json!({"path": "@outputs/call_1.txt"})).unwrap();
    assert!(page.starts_with("[@outputs/call_1.txt: lines 1-2 of 2]"), "{page}");
    scene.call("write_file", &json!({"path": "@outputs/call_1.txt", "content": ""})).unwrap_err();
}

#[test]
fn paths_out_of_the_workspace_are_refused() {
    let scene = Scene::new();
    std::fs::write(scene.folder.path().join("secret"), "secret").unwrap();
    for path in ["../secret", "/etc/passwd", "a/../../secret", "/proc/self/root/etc/passwd", "", "~/x"] {
        for tool in ["read_file", "list_files"] {
            scene.call(tool, &json!({"path": path})).unwrap_err();
        }
        scene.call("write_file", &json!({"path": path, "content": "taken"})).unwrap_err();
    }
    assert_eq!(std::fs::read(scene.folder.path().join("secret")).unwrap(), b"secret");
    assert!(scene.call("read_file", &json!({"path": "none"})).unwrap_err().contains("List the folder"));
}

// H3, H6
#[test]
fn effects_name_the_path_and_touch_nothing() {
    let scene = Scene::new();
    let read = scene.effects("read_file", &json!({"path": "./x/../a"}));
    assert_eq!(read, [Effect::Read { path: "a".into() }]);
    let write = scene.effects("write_file", &json!({"path": "../a", "content": ""}));
    assert_eq!(write, [Effect::Write { path: "../a".into(), bytes: Some(0) }]);
    assert_eq!(scene.effects("write_file", &json!({"content": ""})), [Effect::Unknown]);
    assert_eq!(scene.effects("list_files", &json!({})), [Effect::Read { path: ".".into() }]);
}

#[test]
fn early_effects_need_only_the_path() {
    let scene = Scene::new();
    for tool in &scene.tools {
        assert_eq!(tool.early_effects(&EarlyArguments::default()), []);
        let (mut arguments, path) = (EarlyArguments::default(), json!("../../a"));
        arguments.insert("path", path.clone());
        let whole = scene.effects(tool.spec().name().as_str(), &json!({"path": path}));
        assert_eq!(tool.early_effects(&arguments), whole);
    }
}

// Models write arguments in the order of the schema: `path` can be decided before `content` has come.
#[test]
fn schemas_are_strict_and_in_order() {
    let scene = Scene::new();
    for tool in &scene.tools {
        let windlass_protocol::ToolSpec::Function { parameters, .. } = tool.spec() else { panic!() };
        let value = parameters.to_value();
        assert_eq!(value["additionalProperties"], json!(false));
        assert!(value["properties"].as_object().unwrap().values().all(|it| it["description"].is_string()));
        let text = parameters.as_str();
        assert!(text.find("\"path\"") < text.find("\"content\"").or(Some(usize::MAX)));
    }
}
