//! `grep_file` on real files.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "the tests build files from outside, and fail loudly"
)]

#[expect(unreachable_pub, reason = "shared with the example")]
mod ripgrep;

use std::fs;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use tokio::runtime::Builder;
use windlass_protocol::{Arguments, CallId, Content, Effect, Payload};
use windlass_sandbox::Workspace;
use windlass_testkit::{Need, require};
use windlass_tool::kit::check_tool;
use windlass_tool::{Context, Tool, ToolError};
use windlass_tools_search::GrepFile;

fn scene(files: &[(&str, &str)]) -> (TempDir, GrepFile) {
    let folder = tempdir().unwrap();
    let work = folder.path().join("work");
    fs::create_dir(&work).unwrap();
    fs::write(folder.path().join("secret"), "needle").unwrap();
    for (path, content) in files {
        fs::create_dir_all(work.join(path).parent().unwrap()).unwrap();
        fs::write(work.join(path), content).unwrap();
    }
    (folder, GrepFile::new(Arc::new(Workspace::open(&work).unwrap())))
}

fn payload(arguments: &Value) -> Payload {
    Payload::Function { arguments: Arguments::parse(arguments.to_string()).unwrap() }
}

fn call(tool: &GrepFile, arguments: &Value) -> Result<String, String> {
    let ctx = Context::new(CallId::new("call_1").unwrap());
    let runtime = Builder::new_current_thread().build().unwrap();
    match runtime.block_on(tool.call(&ctx, &payload(arguments))) {
        Ok(output) => match output.content.first() {
            Some(Content::Text { text }) => Ok(text.clone()),
            other => panic!("{other:?}"),
        },
        Err(ToolError::Model(text)) => Err(text.wire_text()),
        Err(other) => panic!("{other}"),
    }
}

#[track_caller]
fn check(files: &[(&str, &str)], arguments: &Value, expected: &str) {
    let (_folder, tool) = scene(files);
    assert_eq!(call(&tool, arguments).unwrap(), expected);
}

#[test]
fn results_are_sorted_and_counted() {
    let files = [("b.rs", "a\nneedle 1\r\n"), ("a/c.rs", "needle 2\nx\nNEEDLE"), ("d.txt", "needle 3")];
    let all = "[3 of 3 matching lines shown, from 3 files]\na/c.rs:1: needle 2\nb.rs:2: needle 1\n\
        d.txt:1: needle 3\n";
    check(&files, &json!({"pattern": "needle"}), all);
    let rust = "[2 of 2 matching lines shown, from 2 files]\na/c.rs:1: needle 2\nb.rs:2: needle 1\n";
    check(&files, &json!({"pattern": "needle", "glob": "*.rs"}), rust);
    let deep = "[2 of 2 matching lines shown, from 1 file]\na/c.rs:1: needle 2\na/c.rs:3: NEEDLE\n";
    check(&files, &json!({"pattern": "needle", "glob": "a/**", "ignore_case": true}), deep);
    check(&files, &json!({"pattern": "needle", "path": "a/c.rs", "ignore_case": true}), deep);
    let cut = "[1 of 3 matching lines shown, from 3 files; narrow the pattern, path or glob, or continue \
               with offset 1]\n\
        a/c.rs:1: needle 2\n";
    check(&files, &json!({"pattern": "needle", "limit": 1}), cut);
    let around = "[1 of 1 matching lines shown, from 1 file]\nb.rs-1- a\nb.rs:2: needle 1\n";
    check(&files, &json!({"pattern": "needle", "path": "b.rs", "context": 1}), around);
}

// Must be shown 5: the first results do not depend on the order in which threads finish.
#[test]
fn a_page_continues_where_the_last_one_ended() {
    let files = [("a.rs", "x1\ny\nx2\nx3\n"), ("b/c.rs", "x4\nx5"), ("b.rs", "x6")];
    let (_folder, tool) = scene(&files);
    let page = |offset| call(&tool, &json!({"pattern": "x", "limit": 2, "offset": offset})).unwrap();
    let head = "[2 of 6 matching lines shown, from 3 files; ";
    let more = |words| format!("{head}{words}]\n");
    let first = "narrow the pattern, path or glob, or continue with offset 2";
    assert_eq!(page(0), more(first) + "a.rs:1: x1\na.rs:3: x2\n");
    let second = "the first 2 were passed over; narrow the pattern, path or glob, or continue with offset 4";
    assert_eq!(page(2), more(second) + "a.rs:4: x3\nb/c.rs:1: x4\n");
    assert_eq!(page(4), more("the first 4 were passed over") + "b/c.rs:2: x5\nb.rs:1: x6\n");
    let past = "[0 of 6 matching lines shown, from 3 files; the first 6 were passed over]\n";
    assert_eq!(page(9), past);
    let around = json!({"pattern": "x2", "context": 1});
    let text = call(&tool, &around).unwrap();
    assert!(text.ends_with("\na.rs-2- y\na.rs:3: x2\na.rs-4- x3\n"), "{text}");
    for _ in 0..50 {
        assert_eq!(page(0), more(first) + "a.rs:1: x1\na.rs:3: x2\n");
    }
}

#[test]
fn files_and_count_modes_list_files_instead_of_lines() {
    let files = [("a.rs", "x\nx\n"), ("b/c.py", "x"), ("d.txt", "y")];
    let both = "[2 of 2 files shown, with 3 matching lines in all]\n";
    check(&files, &json!({"pattern": "x", "mode": "files"}), &format!("{both}a.rs\nb/c.py\n"));
    check(&files, &json!({"pattern": "x", "mode": "count"}), &format!("{both}a.rs: 2\nb/c.py: 1\n"));
    let second = "[1 of 2 files shown, with 3 matching lines in all; the first 1 were passed over]\nb/c.py\n";
    check(&files, &json!({"pattern": "x", "mode": "files", "offset": 1}), second);
    let none = "[nothing found in .; hidden, binary and git-ignored files were not searched]";
    check(&files, &json!({"pattern": "z", "mode": "count"}), none);
}

#[test]
fn files_are_chosen_by_type_and_by_what_they_are_not() {
    let files = [("a.rs", "x"), ("b.py", "x"), ("c/d.py", "x")];
    let python = "[2 of 2 files shown, with 2 matching lines in all]\nb.py\nc/d.py\n";
    check(&files, &json!({"pattern": "x", "mode": "files", "type": "py"}), python);
    check(&files, &json!({"pattern": "x", "mode": "files", "glob": "!*.rs"}), python);
    check(&files, &json!({"pattern": "x", "mode": "files", "glob": "*.{py,txt}"}), python);
    let (_folder, tool) = scene(&files);
    let text = call(&tool, &json!({"pattern": "x", "type": "klingon"})).unwrap_err();
    assert!(text.contains("unknown file type `klingon`") && text.contains("rust"), "{text}");
}

#[test]
fn plain_text_and_matches_over_lines_are_found() {
    let files = [("a", "f(x\ny)\nf.x\n")];
    let literal = "[1 of 1 matching lines shown, from 1 file]\na:1: f(x\n";
    check(&files, &json!({"pattern": "f(x", "literal": true}), literal);
    let both = "[2 of 2 matching lines shown, from 1 file]\na:1: f(x\na:2: y)\n";
    check(&files, &json!({"pattern": r"f\(.*?\)", "multiline": true}), both);
    check(&files, &json!({"pattern": r"x\ny", "multiline": true}), both);
    let (_folder, tool) = scene(&files);
    let text = call(&tool, &json!({"pattern": r"x\ny"})).unwrap_err();
    assert!(text.contains("set multiline"), "{text}");
}

#[test]
fn ignored_hidden_and_binary_files_are_passed_over() {
    let files = [
        (".gitignore", "target/\n"),
        ("target/x", "needle"),
        (".hidden", "needle"),
        (".git/config", "needle"),
        ("binary", "needle\nab\0needle\n"),
    ];
    let none = "[nothing found in .; hidden, binary and git-ignored files were not searched]";
    check(&files, &json!({"pattern": "needle"}), none);
}

// H6: the tool searches files with names of secrets by name only.
#[test]
fn secrets_are_searched_by_their_names_only() {
    let files = [("keys/server.pem", "needle"), ("credentials.json", "needle"), ("a.rs", "needle")];
    let text = "[1 of 1 matching lines shown, from 1 file; passed over for names of secrets, which are \
        searched by name only: 2 files]\na.rs:1: needle\n";
    check(&files, &json!({"pattern": "needle"}), text);
    let (_folder, tool) = scene(&files);
    for path in ["keys/server.pem", "credentials.json"] {
        let text = call(&tool, &json!({"pattern": "needle", "path": path})).unwrap();
        assert!(text.starts_with("[1 of 1 matching lines"), "{text}");
    }
    let text = call(&tool, &json!({"pattern": "needle", "path": "keys"})).unwrap();
    assert!(text.starts_with("[nothing found in keys; passed over for names of secrets"), "{text}");
    assert!(
        call(&tool, &json!({"pattern": "a", "glob": "*".repeat(2_000)})).unwrap_err().contains("2000 bytes")
    );
}

#[test]
fn long_lines_are_cut_with_exact_counts() {
    let line = format!("needle{}", "ü".repeat(600));
    let (_folder, tool) = scene(&[("a", &line)]);
    let text = call(&tool, &json!({"pattern": "needle"})).unwrap();
    assert!(text.ends_with("ü [line cut: 500 of 606 characters shown]\n"), "{text}");
}

#[test]
fn an_invalid_pattern_gets_an_error_with_advice() {
    let (_folder, tool) = scene(&[]);
    for pattern in ["fn main(", "a\nb", "(a{1000}){1000}"] {
        let text = call(&tool, &json!({"pattern": pattern})).unwrap_err();
        assert!(text.contains("put `\\` before"), "{text}");
    }
    assert!(call(&tool, &json!({"pattern": "a", "glob": "[x"})).unwrap_err().contains("a glob is like"));
}

#[cfg(unix)]
#[test]
fn no_link_leads_out() {
    use std::os::unix::fs::symlink;
    let (folder, tool) = scene(&[("a", "nothing")]);
    let work = folder.path().join("work");
    symlink("../secret", work.join("file")).unwrap();
    symlink("..", work.join("up")).unwrap();
    symlink("/proc/self/root", work.join("root")).unwrap();
    let text = call(&tool, &json!({"pattern": "needle"})).unwrap();
    assert!(text.starts_with("[nothing found"), "{text}");
    for path in ["file", "up", "root", "..", "/etc", "../secret", "@outputs/x"] {
        call(&tool, &json!({"pattern": "needle", "path": path})).unwrap_err();
    }
}

// F51
#[cfg(unix)]
#[test]
fn odd_names_are_searched_and_shown_escaped() {
    use std::os::unix::ffi::OsStringExt;
    let (folder, tool) = scene(&[("new\nline", "needle")]);
    let name = std::ffi::OsString::from_vec(b"caf\xe9".to_vec());
    fs::write(folder.path().join("work").join(name), "needle").unwrap();
    let all =
        "[2 of 2 matching lines shown, from 2 files]\n\"caf\\351\":1: needle\n\"new\\nline\":1: needle\n";
    assert_eq!(call(&tool, &json!({"pattern": "needle"})).unwrap(), all);
    let one = call(&tool, &json!({"pattern": "needle", "path": "\"caf\\351\""})).unwrap();
    assert!(one.contains("from 1 file"), "{one}");
}

// F48, RES-013: however long a file is, it is read piece by piece.
#[cfg(unix)]
#[test]
fn endless_files_do_not_block_a_search() {
    let (folder, tool) = scene(&[("a", &"a".repeat(5_000))]);
    let work = folder.path().join("work");
    fs::File::create(work.join("sparse")).unwrap().set_len(8 << 30).unwrap();
    std::os::unix::fs::symlink("loop", work.join("loop")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(work.join("fifo")).status().unwrap().success());
    let mut line = fs::File::create(work.join("line")).unwrap();
    for _ in 0..200 {
        std::io::Write::write_all(&mut line, &vec![b'x'; 1 << 20]).unwrap();
    }
    let start = std::time::Instant::now();
    let text = call(&tool, &json!({"pattern": "(a+)+$"})).unwrap();
    let head = "[1 of 1 matching lines shown, from 1 file; unreadable or with lines over";
    assert!(text.starts_with(head), "{text}");
    for path in ["loop", "fifo"] {
        call(&tool, &json!({"pattern": "a", "path": path})).unwrap_err();
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(30));
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak = peak.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024;
    assert!(peak < 200, "{peak} MB");
}

// An ignore file may be a pipe or a device, for which a walker would wait forever.
#[cfg(unix)]
#[test]
fn rules_that_never_end_are_not_waited_for() {
    let pipe = |at: &std::path::Path| {
        assert!(std::process::Command::new("mkfifo").arg(at).status().unwrap().success());
    };
    let (folder, tool) =
        scene(&[("a", "needle"), ("pipe/b", "needle"), ("device/c", "needle"), ("plain/d", "needle")]);
    let work = folder.path().join("work");
    pipe(&work.join("pipe/.gitignore"));
    std::os::unix::fs::symlink("/dev/zero", work.join("device/.ignore")).unwrap();
    fs::write(work.join("plain/.gitignore"), "e\n").unwrap();
    let text = call(&tool, &json!({"pattern": "needle"})).unwrap();
    assert!(
        text.starts_with("[2 of 2 matching lines shown, from 2 files; unreadable or with lines over"),
        "{text}"
    );
    // The `.gitignore` of the root is a pipe, so its rules are missing, and the root is searched without them.
    pipe(&work.join(".gitignore"));
    let text = call(&tool, &json!({"pattern": "needle"})).unwrap();
    assert!(text.contains("a:1: needle") && text.contains("plain/d:1: needle"), "{text}");
    // The other ignore files are applied, and the result reports that `.gitignore` cannot be read.
    fs::write(work.join(".ignore"), "a\n").unwrap();
    let text = call(&tool, &json!({"pattern": "needle"})).unwrap();
    assert!(!text.contains("a:1: needle") && text.contains("plain/d:1: needle"), "{text}");
    assert!(text.contains(".gitignore cannot be read, so no file of that name was applied"), "{text}");
}

// F53
#[test]
fn a_folder_that_is_deeper_than_any_path_ends() {
    let (folder, tool) = scene(&[("a", "needle")]);
    let at = |path: String| folder.path().join("work").join(path);
    let piece = "d/".repeat(1_000);
    for number in 0..5 {
        fs::create_dir_all(at(format!("{number}/{piece}"))).unwrap();
    }
    for number in (0..4).rev() {
        let below = format!("{number}/{piece}{}", number + 1);
        fs::rename(at((number + 1).to_string()), at(below)).unwrap();
    }
    let start = std::time::Instant::now();
    let text = call(&tool, &json!({"pattern": "needle"})).unwrap();
    assert!(text.starts_with("[1 of 1 matching lines shown, from 1 file"), "{text}");
    assert!(start.elapsed() < std::time::Duration::from_secs(30));
}

// PTH-037: no argument makes the tool follow links.
#[test]
fn unknown_arguments_are_refused() {
    let (_folder, tool) = scene(&[("a", "needle")]);
    let text = call(&tool, &json!({"pattern": "needle", "path": ".", "follow": true})).unwrap_err();
    assert!(text.contains("follow"), "{text}");
}

// H3
#[test]
fn the_effect_names_the_path() {
    let (_folder, tool) = scene(&[]);
    let effect = |path: &str| vec![Effect::Read { path: path.into() }];
    assert_eq!(tool.effects(&payload(&json!({"pattern": "x"}))), effect("."));
    assert_eq!(tool.effects(&payload(&json!({"pattern": "x", "path": "../y"}))), effect("../y"));
}

// Must be shown 5; the example `against_ripgrep` does it on larger folders and takes the time.
#[test]
fn it_finds_what_ripgrep_finds() {
    require!(Need::Ripgrep, ripgrep::is_installed());
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let tool = ripgrep::tool(root);
    for pattern in ripgrep::PATTERNS {
        let (theirs, ours) = (ripgrep::by_ripgrep(root, pattern), ripgrep::by_tool(&tool, pattern, "."));
        assert_eq!(ours, theirs, "{pattern}");
        assert_eq!(ripgrep::total(&ripgrep::call(&tool, pattern, ".", 0)), ours.len(), "{pattern}");
    }
}

// security 2: files that policy refuses are not searched, and their number is reported.
#[test]
fn refused_files_are_left_out_in_every_mode() {
    let files = [("private/x.txt", "needle"), ("private/deep/y.txt", "needle"), ("src/a.rs", "needle")];
    let (_folder, tool) = scene(&files);
    let gate = || {
        windlass_tool::PathGate::new(|effect| effect.path().is_some_and(|path| path.starts_with("private/")))
    };
    let runtime = Builder::new_current_thread().build().unwrap();
    for (mode, start) in [("lines", "."), ("files", "."), ("count", "."), ("lines", "private")] {
        let arguments = json!({ "pattern": "needle", "mode": mode, "path": start });
        let ctx = Context::new(CallId::new("call_1").unwrap()).with_path_gate(gate());
        let output = runtime.block_on(tool.call(&ctx, &payload(&arguments))).unwrap();
        let Some(Content::Text { text }) = output.content.first() else { panic!("{output:?}") };
        assert!(text.contains("left out because of rules: 2 files"), "{mode}: {text}");
        assert!(!text.contains("private/"), "{mode}: {text}");
    }
}

// correctness-3 8
#[test]
fn line_ends_of_another_system_are_line_ends() {
    let files = [("c.c", "int a;\r\nint b;\r\n")];
    let found = "[1 of 1 matching lines shown, from 1 file]\nc.c:1: int a;\n";
    check(&files, &json!({"pattern": "a;$"}), found);
    check(&files, &json!({"pattern": "^int a;$"}), found);
    let both = "[2 of 2 matching lines shown, from 1 file]\nc.c:1: int a;\nc.c:2: int b;\n";
    for pattern in [r"a;\nint", r"a;$\n^int", "a;\nint", r"a;\r\nint"] {
        check(&files, &json!({"pattern": pattern, "multiline": true}), both);
    }
    check(&files, &json!({"pattern": "a;\nint b;", "multiline": true, "literal": true}), both);
    check(
        &[("c.c", "a;\nb")],
        &json!({"pattern": "a;\nb", "multiline": true, "literal": true}),
        "[2 of 2 matching lines shown, from 1 file]\nc.c:1: a;\nc.c:2: b\n",
    );
    check(
        &[("c.c", "x\ny")],
        &json!({"pattern": r"[^\n]y", "multiline": true, "mode": "count"}),
        "[nothing found in .; hidden, binary and git-ignored files were not searched]",
    );
}

// correctness-3 9: text in each encoding that `read_file` shows is found.
#[test]
fn other_encodings_are_decoded_before_the_search() {
    let (folder, tool) = scene(&[("plain.txt", "caf\u{e9} plain\n")]);
    let work = folder.path().join("work");
    fs::write(work.join("latin.txt"), b"une tr\xe8s bonne journ\xe9e\ncaf\xe9 wombat\n").unwrap();
    let expected = "[2 of 2 matching lines shown, from 2 files]\nlatin.txt:2: caf\u{e9} wombat\nplain.txt:1: caf\u{e9} plain\n";
    for pattern in ["caf\u{e9}", "caf. "] {
        assert_eq!(call(&tool, &json!({"pattern": pattern})).unwrap(), expected);
    }
    assert_eq!(
        call(&tool, &json!({"pattern": "wombat"})).unwrap(),
        "[1 of 1 matching lines shown, from 1 file]\nlatin.txt:2: caf\u{e9} wombat\n"
    );
}

// correctness-3 11
#[test]
fn braces_that_are_too_deep_are_refused_and_do_not_panic() {
    let (_folder, tool) = scene(&[("a", "x")]);
    let glob = format!("{}a{}", "{".repeat(330), "}".repeat(330));
    assert!(call(&tool, &json!({"pattern": "x", "glob": glob})).unwrap_err().contains("deep"));
}

// The suspicion of correctness-3: one line is the context of a match on the previous page and of the first match of
// this page.
#[test]
fn context_before_the_first_match_of_a_page_is_shown() {
    let files = [("a", "needle 1\nbetween\nneedle 2\nneedle 3\n")];
    let page = |offset: u64| json!({"pattern": "needle", "context": 1, "offset": offset, "limit": 1});
    check(
        &files,
        &page(1),
        "[1 of 3 matching lines shown, from 1 file; the first 1 were passed over; narrow the pattern, path \
         or glob, or continue with offset 2]\na-2- between\na:3: needle 2\n",
    );
    check(
        &files,
        &page(2),
        "[1 of 3 matching lines shown, from 1 file; the first 2 were passed over]\na-3- needle 2\na:4: needle 3\n",
    );
}

// command-line B8
#[test]
fn a_cancelled_search_is_not_reported_as_empty() {
    let (_folder, tool) = scene(&[("a", "needle")]);
    let ctx = Context::new(CallId::new("call_1").unwrap());
    ctx.cancellation().cancel();
    let runtime = Builder::new_current_thread().build().unwrap();
    let told = runtime.block_on(tool.call(&ctx, &payload(&json!({"pattern": "needle"})))).unwrap_err();
    assert!(told.to_string().contains("was stopped before its end"), "{told}");
}

// security 25: a line of wrapped base64 alone does not show that it is a part of a secret.
#[test]
fn a_secret_of_several_lines_is_taken_out_of_each() {
    let secret = "correct-horse-battery-staple-and-then-some-more-of-it-as-keys-have-it";
    // `printf 'x%s' SECRET | base64`
    let encoded = "eGNvcnJlY3QtaG9yc2UtYmF0dGVyeS1zdGFwbGUtYW5kLXRoZW4tc29tZS1tb3JlLW9mLWl0LWFz\nLWtleXMtaGF2ZS1pdA==\n";
    let (_folder, tool) = scene(&[("a.txt", &format!("before\n{encoded}end\n"))]);
    let redactor = windlass_redact::Redactor::new([secret.into()]);
    let ctx = Context::new(CallId::new("call_1").unwrap()).with_redactor(redactor);
    let runtime = Builder::new_current_thread().build().unwrap();
    for (arguments, expected) in [
        (json!({"pattern": "^LWtl"}), "[1 of 1 matching lines shown, from 1 file]\na.txt:3: [redacted]A==\n"),
        (
            json!({"pattern": "end", "context": 2}),
            "[1 of 1 matching lines shown, from 1 file]\na.txt-2- eG[redacted]\na.txt-3- [redacted]A==\na.txt:4: end\n",
        ),
    ] {
        let output = runtime.block_on(tool.call(&ctx, &payload(&arguments))).unwrap();
        let Some(Content::Text { text }) = output.content.first() else { panic!("{output:?}") };
        assert_eq!(text, expected);
    }
}

#[test]
fn the_tool_follows_the_rules_of_the_conformance_kit() {
    let (_folder, tool) = scene(&[("a.txt", "a needle\n")]);
    let ctx = Context::new(CallId::new("call_1").unwrap());
    let payload = payload(&json!({"pattern": "needle"}));
    let checked = Builder::new_current_thread().build().unwrap().block_on(check_tool(&tool, &ctx, &payload));
    assert!(checked.is_ok(), "{}", checked.unwrap_err());
}
