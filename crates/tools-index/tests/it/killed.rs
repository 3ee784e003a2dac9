//! Processes that are killed while they write the index.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;
use windlass_sandbox::Workspace;
use windlass_tools_index::CodebaseSearch;

use super::{call_tool, scene, write};

const TEST: &str = "killed::an_index_whose_writers_are_killed_has_its_last_commit";
const FOLDER: &str = "WINDLASS_TEST_KILLED_FOLDER";
const FILES: usize = 6;
const KILLS: u64 = 10;
/// Time for a child to search once, on a slow machine.
const MAX_START: Duration = Duration::from_mins(2);

fn ask(folder: &Path) -> String {
    let workspace = Arc::new(Workspace::open(folder.join("work")).unwrap());
    let tool = CodebaseSearch::new(workspace, folder.join("state")).unwrap();
    call_tool(&tool, &json!({"query": "wombat", "limit": 50})).unwrap()
}

/// Changes the files and searches, until the process is killed.
fn write_forever(folder: &Path) {
    for round in 0_u64.. {
        for file in 0..FILES {
            let text = format!("fn wombat_{file}_{round}() {{}}\n");
            write(&folder.join("work"), &[(&format!("f{file}.rs"), &text)]);
            ask(folder);
        }
        fs::write(folder.join("searched"), "").unwrap();
    }
}

#[test]
fn an_index_whose_writers_are_killed_has_its_last_commit() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return write_forever(&PathBuf::from(folder));
    }
    let (folder, _) = scene(&[]);
    let folder = folder.path();
    for kill in 0..KILLS {
        let _ = fs::remove_file(folder.join("searched"));
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", TEST, "--nocapture"])
            .env(FOLDER, folder)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let begin = Instant::now();
        while !folder.join("searched").exists() && begin.elapsed() < MAX_START {
            sleep(Duration::from_millis(5));
        }
        // A commit takes some milliseconds, so the kills hit its different steps.
        sleep(Duration::from_millis(kill * 3));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(begin.elapsed() < MAX_START, "the child did not search");
        for file in 0..FILES {
            write(&folder.join("work"), &[(&format!("f{file}.rs"), &format!("fn wombat_{file}() {{}}\n"))]);
        }
        let text = ask(folder);
        assert!(
            !text.contains("made anew") && text.starts_with("[6 places for wombat, best first]\n"),
            "{text}"
        );
    }
    // Segments of interrupted commits are removed, and merges bound the number of the others.
    let segments = super::search::below(&folder.join("state"), ".segment").len();
    assert!((1..=8).contains(&segments), "{segments} segments");
}
