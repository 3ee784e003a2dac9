//! `codebase_search`: its results, and the state of the index.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use serde_json::json;
use tempfile::TempDir;
use windlass_protocol::Effect;
use windlass_sandbox::Workspace;
use windlass_tool::Tool;
use windlass_tools_index::{CodebaseSearch, IndexError, Passage, RankFuture, Ranker, Ranking, tools_with};

use super::{call_tool, scene, write};

const FILES: &[(&str, &str)] = &[
    (
        "src/retry.rs",
        "//! Trying again.\n\n/// Waits after a rate limit.\npub fn retryAfterRateLimit() {\n    wait();\n}\n",
    ),
    (
        "src/config.py",
        "import os\n\ndef read_config(path):\n    return open(path)\n\ndef write_config():\n    pass\n",
    ),
    ("docs/notes.md", "The config is read once.\n"),
    (".gitignore", "target\n"),
    ("target/config.py", "def read_config(): pass\n"),
    ("credentials.json", "{\"config\": 1}\n"),
    ("binary", "config\0config"),
];

fn index(folder: &TempDir) -> PathBuf {
    folder.path().join("state")
}

fn search(folder: &TempDir, workspace: &Arc<Workspace>) -> CodebaseSearch {
    CodebaseSearch::new(Arc::clone(workspace), index(folder)).unwrap()
}

fn ask(tool: &CodebaseSearch, query: &str) -> String {
    call_tool(tool, &json!({"query": query})).unwrap()
}

/// The places of a result, without scores.
fn places(text: &str) -> Vec<&str> {
    let heads = text.lines().skip(1).filter(|line| line.ends_with(')') && !line.starts_with(' '));
    heads.filter_map(|line| Some(line.rsplit_once(" (")?.0)).collect()
}

#[test]
fn names_count_more_than_text_and_are_found_by_their_parts() {
    let (folder, workspace) = scene(FILES);
    let tool = search(&folder, &workspace);
    let text = ask(&tool, "read config");
    let expected = ["src/config.py:3-5 function read_config", "src/config.py:6-7 function write_config"];
    assert_eq!(places(&text)[..2], expected, "{text}");
    assert!(text.contains("     3\tdef read_config(path):\n     4\t    return open(path)\n"), "{text}");
    assert!(text.contains("1 file with names of secrets is not in the index"), "{text}");
    assert!(!text.contains("target/") && !text.contains("credentials") && !text.contains("binary"), "{text}");
    assert_eq!(places(&ask(&tool, "rate limits")), ["src/retry.rs:3-6 function retryAfterRateLimit"]);
    let within = |arguments| call_tool(&tool, &arguments).unwrap();
    let docs = within(json!({"query": "config", "path": "docs"}));
    assert_eq!(places(&docs), ["docs/notes.md:1-1"]);
    assert!(docs.starts_with("[1 place for config; "), "{docs}");
    let python = within(json!({"query": "config", "language": "python", "limit": 1}));
    assert_eq!(places(&python).len(), 1);
    let none = ask(&tool, "zebra");
    assert!(none.starts_with("[nothing found for zebra; 1 file with"), "{none}");
    for (arguments, words) in [
        (json!({"query": "::"}), "no word"),
        (json!({"query": "a", "path": "../x"}), ".."),
        (json!({"query": "a", "language": "klingon"}), "unknown language"),
    ] {
        let text = call_tool(&tool, &arguments).unwrap_err();
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn ignore_files_that_cannot_be_used_are_reported_until_they_are_repaired() {
    let (folder, workspace) = scene(FILES);
    let root = workspace.root().to_path_buf();
    let long = "a*".repeat(2_000);
    write(&root, &[(".ignore", &long), ("sub/.gitignore", &long), ("sub/config.rs", "fn config() {}\n")]);
    let tool = search(&folder, &workspace);
    for _ in 0..2 {
        let text = ask(&tool, "config");
        assert!(text.contains("; .ignore cannot be read, so no file of that name was applied"), "{text}");
        assert!(
            text.contains("; 1 folders were left out because their ignore files cannot be read"),
            "{text}"
        );
        assert!(!text.contains("sub/config.rs"), "{text}");
    }
    write(&root, &[(".ignore", ""), ("sub/.gitignore", "")]);
    let text = ask(&tool, "config");
    assert!(text.contains("sub/config.rs") && !text.contains("cannot be read"), "{text}");
}

#[test]
fn the_index_follows_the_files() {
    let (folder, workspace) = scene(FILES);
    let root = workspace.root().to_path_buf();
    let tool = search(&folder, &workspace);
    assert!(ask(&tool, "walrus").starts_with("[nothing found"));
    write(&root, &[("new.rs", "fn walrus() {}\n"), ("src/config.py", "def walrus_config(): pass\n")]);
    assert_eq!(places(&ask(&tool, "walrus")).len(), 2);
    fs::remove_file(root.join("new.rs")).unwrap();
    fs::rename(root.join("src/config.py"), root.join("src/moved.py")).unwrap();
    assert_eq!(places(&ask(&tool, "walrus")), ["src/moved.py:1-1 function walrus_config"]);
    // A second process uses the index of the first, and does not read the files again.
    let other = search(&folder, &workspace);
    assert_eq!(places(&ask(&other, "walrus")), ["src/moved.py:1-1 function walrus_config"]);
}

pub(crate) fn below(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.retain(|path| path.to_string_lossy().contains(name));
    found
}

#[test]
fn a_broken_or_outdated_index_is_rebuilt_and_reported() {
    let (folder, workspace) = scene(FILES);
    let healthy = places(&ask(&search(&folder, &workspace), "config")).len();
    let check = |break_it: &dyn Fn(&Path), words: &str| {
        break_it(&index(&folder));
        let text = ask(&search(&folder, &workspace), "config");
        assert!(text.contains(words), "{words}: {text}");
        assert_eq!(places(&text).len(), healthy);
        assert!(!ask(&search(&folder, &workspace), "config").contains("made anew"));
    };
    let each = |name: &'static str, change: fn(&mut Vec<u8>)| {
        move |folder: &Path| {
            let files = below(folder, name);
            assert!(!files.is_empty(), "{name}");
            for file in files {
                let mut bytes = fs::read(&file).unwrap();
                change(&mut bytes);
                fs::write(file, bytes).unwrap();
            }
        }
    };
    check(&each("about", |bytes| *bytes = b"windlass-index 0\n".to_vec()), "another version");
    check(&each("manifest", |bytes| bytes.truncate(10)), "was broken");
    check(&each(".segment", |bytes| bytes[0] ^= 0xff), "was broken");
    check(&each(".segment", Vec::clear), "was broken");
    check(
        &|folder| below(folder, ".segment").iter().for_each(|file| fs::remove_file(file).unwrap()),
        "was broken",
    );
}

#[test]
fn many_at_once_do_not_break_the_index() {
    let (folder, workspace) = scene(FILES);
    let root = workspace.root().to_path_buf();
    // Each thread has its own lock and its own view of the index, as processes have.
    thread::scope(|scope| {
        for number in 0..4 {
            let (folder, workspace, root) = (&folder, &workspace, &root);
            scope.spawn(move || {
                for round in 0..5 {
                    let text = format!("fn walrus_{number}_{round}() {{}}\n");
                    write(root, &[(&format!("f{number}.rs"), &text)]);
                    let text = ask(&search(folder, workspace), &format!("walrus_{number}_{round}"));
                    assert!(!text.contains("broken"), "{text}");
                }
            });
        }
    });
    let text = ask(&search(&folder, &workspace), "walrus");
    assert_eq!(places(&text).len(), 4, "{text}");
}

#[test]
fn the_index_must_be_outside_the_workspace() {
    let (folder, workspace) = scene(FILES);
    for inside in [workspace.root().to_path_buf(), workspace.root().join("a/b"), PathBuf::from("relative")] {
        let error = CodebaseSearch::new(Arc::clone(&workspace), inside).unwrap_err();
        assert!(matches!(error, IndexError::InsideWorkspace { .. }));
    }
    let tools = tools_with(&workspace, index(&folder)).unwrap();
    assert_eq!(tools.len(), 7);
    assert_eq!(tools[6].spec().name().as_str(), "codebase_search");
    assert!(!index(&folder).exists());
}

/// A ranking that reverses the order, or fails.
#[derive(Debug)]
enum Turned {
    Works,
    Fails,
    GivesTooFew,
    GivesNoNumber,
}

impl Ranker for Turned {
    fn effects(&self) -> Vec<Effect> {
        vec![Effect::Connect { host: "rank.example".to_owned(), port: 443 }]
    }

    fn rank<'a>(&'a self, _: &'a str, passages: &'a [Passage]) -> RankFuture<'a> {
        let turned = move || (0_u8..).map(f32::from).zip(passages).map(|(score, _)| score).collect();
        Box::pin(async move {
            match self {
                Self::Works => Ok(Ranking::from_scores(turned()).with_note("turned\nround")),
                Self::Fails => Err(format!("no route\n{}", "x".repeat(10_000))),
                Self::GivesTooFew => Ok(Ranking::from_scores(vec![1.0])),
                Self::GivesNoNumber => Ok(Ranking::from_scores(vec![f32::NAN; passages.len()])),
            }
        })
    }
}

#[test]
fn a_ranker_reorders_results_and_its_failure_keeps_the_order() {
    let (folder, workspace) = scene(FILES);
    let plain = ask(&search(&folder, &workspace), "config");
    let mut turned: Vec<_> = places(&plain);
    turned.reverse();
    let tool = search(&folder, &workspace).with_ranker(Arc::new(Turned::Works));
    assert_eq!(places(&ask(&tool, "config")), turned);
    assert!(tool.hints().open_world);
    assert_eq!(tool.effects(&super::payload(&json!({"query": "a"}))).len(), 2);
    assert!(ask(&tool, "config").lines().next().unwrap().contains("; turned round"));
    for (ranker, words) in [
        (Turned::Fails, "the ranker failed (no route xxx"),
        (
            Turned::GivesTooFew,
            "the ranker failed (it gave no finite score for each place), so the order is BM25's",
        ),
        (Turned::GivesNoNumber, "it gave no finite score for each place"),
    ] {
        let text = ask(&search(&folder, &workspace).with_ranker(Arc::new(ranker)), "config");
        let first = text.lines().next().unwrap();
        assert!(first.contains(words) && first.len() < 600, "{first}");
        assert_eq!(places(&text), places(&plain));
    }
}

// correctness-3 7: text that `read_file` and `grep_file` can read is in the index.
#[test]
fn text_of_other_encodings_is_found_by_its_letters() {
    let (folder, workspace) = scene(&[]);
    let root = folder.path().join("work");
    let utf16: Vec<u8> =
        "\u{feff}fn utf_sixteen_kiwi() {}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(root.join("a.rs"), utf16).unwrap();
    fs::write(root.join("b.py"), b"# d\xe9j\xe0 vu, tr\xe8s bien\ndef caf\xe9_kiwi():\n    pass\n").unwrap();
    let text = ask(&search(&folder, &workspace), "kiwi");
    let mut found = places(&text);
    found.sort_unstable();
    assert_eq!(found, ["a.rs:1-1 function utf_sixteen_kiwi", "b.py:1-3 function caf\u{e9}_kiwi"], "{text}");
    let text = super::call(&workspace, "indexer_search_code", &json!({"query": "kiwi"})).unwrap();
    assert!(text.contains("utf_sixteen_kiwi") && text.contains("caf\u{e9}_kiwi"), "{text}");
}

// correctness-3 10: `tar`, `rsync -t` and reproducible checkouts set times, and an edit may keep the length.
#[cfg(unix)]
#[test]
fn a_change_that_keeps_time_and_length_is_seen() {
    let (folder, workspace) = scene(&[("a.rs", "fn gamma_quokka() {}\n")]);
    let tool = search(&folder, &workspace);
    let path = folder.path().join("work/a.rs");
    let then = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_hours(490_896);
    let set = |path: &Path| fs::File::open(path).unwrap().set_modified(then).unwrap();
    set(&path);
    set(path.parent().unwrap());
    assert!(ask(&tool, "quokka").contains("gamma_quokka"));
    fs::write(&path, "fn gamma_numbat() {}\n").unwrap();
    set(&path);
    assert!(ask(&tool, "numbat").contains("gamma_numbat"));
    // The time of a folder can be set as well.
    write(path.parent().unwrap(), &[("b.rs", "fn gamma_potoroo() {}\n")]);
    set(path.parent().unwrap());
    assert!(ask(&tool, "potoroo").contains("gamma_potoroo"));
}

// correctness-3 5: an unreadable file is reported, and is read as soon as it can be.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_once_is_not_marked_as_read() {
    use std::os::unix::fs::PermissionsExt;
    if !crate::other_user::is_here("search::a_file_that_cannot_be_read_once_is_not_marked_as_read") {
        return;
    }
    let (folder, workspace) = scene(&[("a.rs", "fn bilby() {}\n"), ("b.rs", "fn other() {}\n")]);
    let path = folder.path().join("work/a.rs");
    let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    set(0o000);
    let text = ask(&search(&folder, &workspace), "bilby");
    assert!(text.contains("nothing found") && text.contains("; 1 file could not be read"), "{text}");
    set(0o644);
    assert!(ask(&search(&folder, &workspace), "bilby").contains("function bilby"));
}

// correctness-3 12: a full disk does not change the index, which can still be searched.
#[cfg(unix)]
#[test]
fn an_index_that_cannot_be_written_still_answers() {
    use std::os::unix::fs::PermissionsExt;
    if !crate::other_user::is_here("search::an_index_that_cannot_be_written_still_answers") {
        return;
    }
    let (folder, workspace) = scene(&[("a.rs", "fn bilby() {}\n")]);
    assert!(ask(&search(&folder, &workspace), "bilby").contains("function bilby"));
    let kept = below(&index(&folder), "manifest").remove(0);
    let set = |mode| fs::set_permissions(kept.parent().unwrap(), fs::Permissions::from_mode(mode)).unwrap();
    set(0o500);
    write(workspace.root(), &[("b.rs", "fn bilby_second() {}\n")]);
    let text = ask(&search(&folder, &workspace), "bilby");
    assert!(text.contains("function bilby\n") || text.contains("function bilby "), "{text}");
    assert!(
        text.contains("the index could not be written") && text.contains("1 file is not up to date"),
        "{text}"
    );
    assert!(!text.contains("bilby_second") && !text.contains("made anew"), "{text}");
    set(0o700);
    let text = ask(&search(&folder, &workspace), "bilby");
    assert!(text.contains("bilby_second") && !text.contains("made anew"), "{text}");
}

// command-line B8
#[test]
fn a_cancelled_search_is_not_reported_as_empty() {
    let (folder, workspace) = scene(FILES);
    let ctx = windlass_tool::Context::new(windlass_protocol::CallId::new("call_1").unwrap());
    ctx.cancellation().cancel();
    let told = super::call_in(&ctx, &search(&folder, &workspace), &json!({"query": "retry"})).unwrap_err();
    assert!(told.contains("was stopped before its end") && !told.contains("nothing found"), "{told}");
}
