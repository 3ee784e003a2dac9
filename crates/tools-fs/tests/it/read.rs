//! `read_file`.

use serde_json::{Value, json};
use windlass_protocol::{Content, Effect};
use windlass_tool::EarlyArguments;

use crate::scene::Scene;

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
fn lines_come_with_numbers_and_totals() {
    check("one\ntwo\n", json!({}), Ok("[a.txt: lines 1-2 of 2]\n     1\tone\n     2\ttwo\n"));
    check("one\r\ntwo", json!({}), Ok("[a.txt: lines 1-2 of 2]\n     1\tone\n     2\ttwo\n"));
    check("", json!({}), Ok("[a.txt is empty]"));
    check("\u{feff}one", json!({}), Ok("[a.txt: lines 1-1 of 1]\n     1\tone\n"));
}

#[test]
fn a_page_says_how_to_read_on() {
    let two = "[a.txt: lines 2-3 of 4; read on with offset 4]\n     2\tb\n     3\tc\n";
    check("a\nb\nc\nd\n", json!({"offset": 2, "limit": 2}), Ok(two));
    check("a\nb\nc\nd\n", json!({"offset": 4}), Ok("[a.txt: lines 4-4 of 4]\n     4\td\n"));
    check("a\nb\n", json!({"offset": 3}), Err("has 2 lines; give an offset from 1 to 2"));
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
fn what_is_no_utf8_text_is_refused_by_name() {
    check(b"a\0b", json!({}), Err("`a.txt` is a binary file of 3 bytes"));
    check(b"caf\xe9", json!({}), Err("not UTF-8 text (byte 3 of 4)"));
    check(b"\xff\xfea\0", json!({}), Err("UTF-16"));
}

#[test]
fn pictures_are_shown_as_pictures() {
    let scene = Scene::new();
    scene.put("a.png", b"\x89PNG\r\n\x1a\nrest");
    let output = scene.output("read_file", &json!({"path": "a.png"})).unwrap();
    let Some(Content::Image(image)) = output.content.get(1) else { panic!("{output:?}") };
    assert_eq!(image.media_type, "image/png");
    let mut large = b"\xff\xd8\xff".to_vec();
    large.resize(5 * 1024 * 1024 + 1, 0);
    scene.put("large", large);
    assert!(scene.call("read_file", &json!({"path": "large"})).unwrap_err().contains("make it smaller"));
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
fn ways_out_are_refused_with_words() {
    let scene = Scene::new();
    std::fs::write(scene.folder.path().join("secret"), "secret").unwrap();
    for path in ["../secret", "/etc/passwd", "a/../../secret", "/proc/self/root/etc/passwd", "", "~/x"] {
        for tool in ["read_file", "list_files"] {
            scene.call(tool, &json!({"path": path})).unwrap_err();
        }
        scene.call("write_file", &json!({"path": path, "content": "taken"})).unwrap_err();
    }
    assert_eq!(std::fs::read(scene.folder.path().join("secret")).unwrap(), b"secret");
    assert!(scene.call("read_file", &json!({"path": "none"})).unwrap_err().contains("list the folder"));
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
fn the_path_is_known_before_the_rest_has_come() {
    let scene = Scene::new();
    for tool in &scene.tools {
        assert_eq!(tool.early_effects(&EarlyArguments::default()), []);
        let (mut arguments, path) = (EarlyArguments::default(), json!("../../a"));
        arguments.insert("path", path.clone());
        let whole = scene.effects(tool.spec().name().as_str(), &json!({"path": path}));
        assert_eq!(tool.early_effects(&arguments), whole);
    }
}

// Models write arguments in the order of the schema: `path` can be judged before `content` has come.
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
