//! Odd names, odd files, and files that never end.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, Instant};

use serde_json::json;
use windlass_protocol::{CallId, Content};
use windlass_redact::Redactor;
use windlass_tool::Context;

use crate::scene::{Scene, payload};

// F51
#[test]
fn odd_names_are_listed_escaped_and_addressable_again() {
    let scene = Scene::new();
    let names: [&[u8]; 9] = [
        b"new\nline",
        b"caf\xe9",
        b"\"quoted\"",
        b"back\\slash",
        b"~",
        "caf\u{e9}".as_bytes(),
        "cafe\u{301}".as_bytes(),
        b"CASE",
        b"case",
    ];
    let long = "x".repeat(255);
    for (number, name) in names.iter().copied().chain([long.as_bytes()]).enumerate() {
        fs::write(scene.at("").join(OsString::from_vec(name.to_vec())), format!("{number}\n")).unwrap();
    }
    let listed = scene.call("list_files", &json!({})).unwrap();
    let lines: Vec<_> = listed.lines().skip(1).collect();
    assert_eq!(lines.len(), 10, "{listed}");
    let mut met: Vec<_> = lines
        .iter()
        .map(|line| {
            let page = scene.call("read_file", &json!({"path": line})).unwrap();
            page.rsplit('\t').next().unwrap().trim().parse::<u32>().unwrap()
        })
        .collect();
    met.sort_unstable();
    assert_eq!(met, (0..10).collect::<Vec<_>>());
    for line in lines {
        scene.call("write_file", &json!({"path": line, "content": "new\n"})).unwrap();
        scene.call("delete_file", &json!({"path": line})).unwrap();
    }
    assert_eq!(fs::read_dir(scene.at("")).unwrap().count(), 0);
}

// F49
#[test]
fn modes_and_links_are_kept() {
    let scene = Scene::new();
    for mode in [0o755, 0o600, 0o644, 0o640] {
        scene.put("a", "one");
        fs::set_permissions(scene.at("a"), fs::Permissions::from_mode(mode)).unwrap();
        scene.call("read_file", &json!({"path": "a"})).unwrap();
        scene.call("write_file", &json!({"path": "a", "content": "two"})).unwrap();
        assert_eq!(fs::metadata(scene.at("a")).unwrap().permissions().mode() & 0o7777, mode);
        assert_eq!(scene.bytes("a"), b"two");
        fs::remove_file(scene.at("a")).unwrap();
    }
    scene.put("real", "one");
    symlink("real", scene.at("link")).unwrap();
    scene.call("read_file", &json!({"path": "link"})).unwrap();
    scene.call("write_file", &json!({"path": "link", "content": "two"})).unwrap();
    assert!(fs::symlink_metadata(scene.at("link")).unwrap().is_symlink());
    assert_eq!(scene.bytes("real"), b"two");
    // PTH-009
    fs::hard_link(scene.at("real"), scene.at("twin")).unwrap();
    scene.call("read_file", &json!({"path": "twin"})).unwrap();
    let refused = scene.call("write_file", &json!({"path": "twin", "content": "three"})).unwrap_err();
    assert!(refused.contains("hard-linked"), "{refused}");
    assert_eq!(scene.bytes("real"), b"two");
}

/// The kernel's value of this process's largest size, in megabytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

// F48, RES-015, PTH-013, PTH-035
#[test]
fn endless_files_are_refused_at_once() {
    let scene = Scene::new();
    fs::File::create(scene.at("sparse")).unwrap().set_len(10 << 30).unwrap();
    symlink("loop", scene.at("loop")).unwrap();
    symlink("b", scene.at("a")).unwrap();
    symlink("a/x", scene.at("b")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(scene.at("fifo")).status().unwrap().success());
    let start = Instant::now();
    for path in ["sparse", "loop", "a", "a/b/c", "fifo", &"deep/".repeat(2_000), &"x".repeat(300)] {
        for tool in ["read_file", "list_files", "write_file"] {
            let mut arguments = json!({"path": path});
            if tool == "write_file" {
                arguments["content"] = json!("x");
            }
            scene.inspect(tool, &arguments);
            scene.call(tool, &arguments).unwrap_err();
        }
    }
    scene.inspect("delete_file", &json!({"path": "sparse"}));
    scene.call("delete_file", &json!({"path": "sparse"})).unwrap();
    assert!(start.elapsed() < Duration::from_secs(30));
    assert!(peak() < 200, "{} MB", peak());
}

// F48
#[test]
fn a_long_file_is_read_in_pages_and_a_long_line_is_cut() {
    let scene = Scene::new();
    let mut file = fs::File::create(scene.at("lines")).unwrap();
    let block = "line of text\r\n".repeat(100_000);
    for _ in 0..65 {
        std::io::Write::write_all(&mut file, block.as_bytes()).unwrap();
    }
    let page = scene.call("read_file", &json!({"path": "lines", "offset": 6_000_000, "limit": 2})).unwrap();
    let expected = "[lines: lines 6000000-6000001 of a file of 91000000 bytes; read on with offset 6000002]\n\
        6000000\tline of text\n6000001\tline of text\n";
    assert_eq!(page, expected);
    let last = scene.call("read_file", &json!({"path": "lines", "offset": 6_500_000})).unwrap();
    assert!(last.starts_with("[lines: lines 6500000-6500000 of a file of 91000000 bytes]\n"), "{last}");
    let behind = scene.call("read_file", &json!({"path": "lines", "offset": 6_500_001})).unwrap_err();
    assert!(behind.contains("fewer than 6500001 lines"), "{behind}");
    // A file that was read only in part is not known, so it is not overwritten.
    scene.call("write_file", &json!({"path": "lines", "content": "x"})).unwrap_err();
    let mut file = fs::File::create(scene.at("one")).unwrap();
    let block = "\u{fc}".repeat(1 << 20);
    for _ in 0..100 {
        std::io::Write::write_all(&mut file, block.as_bytes()).unwrap();
    }
    let page = scene.call("read_file", &json!({"path": "one"})).unwrap();
    assert!(page.ends_with(" [line cut: 2000 of 104857600 characters shown]\n"), "{}", page.len());
    assert_eq!(page.matches('\u{fc}').count(), 2_000);
    std::io::Write::write_all(&mut file, b"\n\xff\n").unwrap();
    let refused = scene.call("read_file", &json!({"path": "one", "offset": 2})).unwrap_err();
    assert!(refused.contains("not UTF-8 text (line 2)"), "{refused}");
    assert!(peak() < 200, "{} MB", peak());
}

// RES-017
#[test]
fn a_pattern_picks_names_and_a_bomb_is_an_error() {
    let scene = Scene::new();
    for path in ["a.rs", "src/b.rs", "src/deep/c.rs", "src/d.txt", ".git/e.rs"] {
        scene.put(path, "");
    }
    let all = "[.: 3 of 3 names]\na.rs\nsrc/b.rs\nsrc/deep/c.rs";
    assert_eq!(scene.call("list_files", &json!({"pattern": "*.rs"})).unwrap(), all);
    let some = "[.: 2 of 2 names]\nsrc/b.rs\nsrc/d.txt";
    assert_eq!(scene.call("list_files", &json!({"pattern": "src/*.{rs,txt}"})).unwrap(), some);
    let none = "[.: 0 of 0 names fit the pattern]";
    assert_eq!(scene.call("list_files", &json!({"pattern": "*.py"})).unwrap(), none);
    let bomb = json!({"path": ".", "pattern": "{a,b}".repeat(24)});
    assert!(scene.call("list_files", &bomb).unwrap_err().contains("braces"));
}

// F53
#[test]
fn large_and_deep_folders_are_refused_or_shortened_with_a_message() {
    let scene = Scene::new();
    fs::create_dir(scene.at("wide")).unwrap();
    for number in 0..100_010 {
        fs::File::create(scene.at("wide").join(number.to_string())).unwrap();
    }
    // The folders are nested deeper than the longest path that the system accepts.
    let piece = "d/".repeat(1_000);
    for number in 0..5 {
        fs::create_dir_all(scene.at(&format!("{number}/{piece}"))).unwrap();
    }
    for number in (0..4).rev() {
        let below = format!("{number}/{piece}{}", number + 1);
        fs::rename(scene.at(&(number + 1).to_string()), scene.at(&below)).unwrap();
    }
    let start = Instant::now();
    let listed = scene.call("list_files", &json!({"path": "wide"})).unwrap();
    let head = "[wide: 500 of at least 100000 names, as not all were looked at; give a deeper path or a larger limit]";
    assert_eq!(listed.lines().next().unwrap(), head);
    let listed = scene.call("list_files", &json!({"path": "0", "depth": 20})).unwrap();
    assert!(listed.starts_with("[0: 20 of 20 names]"), "{listed}");
    for path in ["0", "wide"] {
        let recursive = json!({"path": path, "recursive": true});
        scene.inspect("delete_file", &recursive);
        let refused = scene.call("delete_file", &recursive).unwrap_err();
        assert!(refused.contains("more than 1000 entries"), "{refused}");
    }
    scene.call("read_file", &json!({"path": format!("0/{piece}1/{}", "d/".repeat(900))})).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(30));
}

/// A page of a file for a context that knows a secret.
fn page_without(scene: &Scene, secret: &str, arguments: &serde_json::Value) -> String {
    let ctx = Context::new(CallId::new("call_1").unwrap()).with_redactor(Redactor::new([secret.into()]));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let output = runtime.block_on(scene.tool("read_file").call(&ctx, &payload(arguments))).unwrap();
    let Some(Content::Text { text }) = output.content.first() else { panic!("{output:?}") };
    text.clone()
}

// A suspicion of correctness-3: only the beginning of a long line is read. When redaction made it shorter, half of
// the secret at its end was shown.
#[test]
fn a_cut_line_shows_no_part_of_a_secret() {
    let scene = Scene::new();
    let secret = "hjkl-qwer-".repeat(9) + "1234567";
    let line = format!("{secret} ").repeat(1_000);
    for (name, length) in [("held", 0), ("long", 81 << 20)] {
        let mut file = fs::File::create(scene.at(name)).unwrap();
        std::io::Write::write_all(&mut file, format!("{line}\nnext\n").as_bytes()).unwrap();
        let written = file.metadata().unwrap().len();
        file.set_len(written.max(length)).unwrap();
        let page = page_without(&scene, &secret, &json!({"path": name, "limit": 1}));
        assert!(page.contains("[redacted] [redacted]"), "{name}: {page}");
        assert!(!page.contains(&secret[..12]), "{name}: {page}");
    }
}

// security 25: a secret that `base64` breaks into lines is redacted as well, and the lines keep their
// numbers.
#[test]
fn a_secret_of_several_lines_leaves_a_mark_in_each() {
    let scene = Scene::new();
    let secret = "correct-horse-battery-staple-and-then-some-more-of-it-as-keys-have-it";
    // `printf 'x%s' SECRET | base64`
    let encoded = "eGNvcnJlY3QtaG9yc2UtYmF0dGVyeS1zdGFwbGUtYW5kLXRoZW4tc29tZS1tb3JlLW9mLWl0LWFz\nLWtleXMtaGF2ZS1pdA==\n";
    let file = format!("{}{encoded}end\n", "before\n".repeat(20_000));
    scene.put("a.txt", &file);
    let page = page_without(&scene, secret, &json!({"path": "a.txt", "offset": 20_000, "limit": 10}));
    let lines: Vec<&str> = page.lines().skip(1).collect();
    let expected = [" 20000\tbefore", " 20001\teG[redacted]", " 20002\t[redacted]A==", " 20003\tend"];
    assert_eq!(lines, expected, "{page}");
    // The secret is redacted even if the page begins in the middle of it.
    let page = page_without(&scene, secret, &json!({"path": "a.txt", "offset": 20_002, "limit": 1}));
    assert_eq!(page.lines().skip(1).collect::<Vec<_>>(), expected[2..3], "{page}");
    scene.put("b.txt", "a first line\nand second b\nc");
    let page = page_without(&scene, "first line\nand second", &json!({"path": "b.txt"}));
    assert_eq!(
        page.lines().skip(1).collect::<Vec<_>>(),
        ["     1\ta [redacted]", "     2\t[redacted] b", "     3\tc"]
    );
}
