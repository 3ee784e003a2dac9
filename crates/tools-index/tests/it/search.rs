//! `codebase_search`: what is found, and what becomes of the index.

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
    assert!(text.contains("1 files with names of secrets are not in the index"), "{text}");
    assert!(!text.contains("target/") && !text.contains("credentials") && !text.contains("binary"), "{text}");
    assert_eq!(places(&ask(&tool, "rate limits")), ["src/retry.rs:3-6 function retryAfterRateLimit"]);
    let within = |arguments| call_tool(&tool, &arguments).unwrap();
    let docs = within(json!({"query": "config", "path": "docs"}));
    assert_eq!(places(&docs), ["docs/notes.md:1-1"]);
    let python = within(json!({"query": "config", "language": "python", "limit": 1}));
    assert_eq!(places(&python).len(), 1);
    let none = ask(&tool, "zebra");
    assert!(none.starts_with("[nothing found for zebra; 1 files"), "{none}");
    for (arguments, words) in [
        (json!({"query": "::"}), "no word"),
        (json!({"query": "a", "path": "../x"}), ".."),
        (json!({"query": "a", "language": "klingon"}), "no language"),
    ] {
        let text = call_tool(&tool, &arguments).unwrap_err();
        assert!(text.contains(words), "{text}");
    }
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
    // A second process sees what the first has written, and does not read again.
    let other = search(&folder, &workspace);
    assert_eq!(places(&ask(&other, "walrus")), ["src/moved.py:1-1 function walrus_config"]);
}

fn below(folder: &Path, name: &str) -> Vec<PathBuf> {
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
fn a_broken_index_or_one_of_another_version_is_made_anew_and_said() {
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
    check(&each("meta.json", |bytes| bytes.truncate(10)), "was broken");
    check(&each(".store", |bytes| bytes[0] ^= 0xff), "was broken");
    check(&each(".term", Vec::clear), "was broken");
    check(
        &|folder| below(folder, ".idx").iter().for_each(|file| fs::remove_file(file).unwrap()),
        "was broken",
    );
}

#[test]
fn many_at_once_do_not_break_the_index() {
    let (folder, workspace) = scene(FILES);
    let root = workspace.root().to_path_buf();
    // Each has its own lock and its own view, as processes have.
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
fn the_index_lies_outside_of_the_workspace() {
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

/// Turns the order round, or fails.
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
                Self::Works => Ok(Ranking::of(turned()).with_note("turned\nround")),
                Self::Fails => Err(format!("no route\n{}", "x".repeat(10_000))),
                Self::GivesTooFew => Ok(Ranking::of(vec![1.0])),
                Self::GivesNoNumber => Ok(Ranking::of(vec![f32::NAN; passages.len()])),
            }
        })
    }
}

#[test]
fn a_ranker_orders_what_was_found_and_may_fail() {
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
