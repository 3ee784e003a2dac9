//! Two processes that edit one file: each edit succeeds, or its model is informed that the file changed.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use serde_json::json;
use tempfile::tempdir;
use windlass_sandbox::Workspace;

use crate::scene::call;

const PLACE: &str = "WINDLASS_TEST_PLACE";
/// Number of edits of both processes together; CI makes few.
const RACES: &str = "WINDLASS_EDIT_RACES";

fn races() -> usize {
    std::env::var(RACES).ok().and_then(|count| count.parse().ok()).unwrap_or(60)
}

/// Adds numbered lines above its own mark, and retries when the other process interfered. Returns the number
/// of retries.
fn edit_on(workspace: &Arc<Workspace>, mark: &str) -> usize {
    let mut lost = 0;
    for count in 0..races() / 2 {
        loop {
            let told = match count % 3 {
                0 => {
                    let new = format!("{mark} {count}\n[{mark}]");
                    let arguments = json!({"path": "log", "old_text": format!("[{mark}]"), "new_text": new});
                    call(workspace, "edit_file", &arguments)
                }
                1 => {
                    let diff = format!(
                        "<<<<<<< SEARCH\n[{mark}]\n=======\n{mark} {count}\n[{mark}]\n>>>>>>> REPLACE"
                    );
                    call(workspace, "apply_diff", &json!({"path": "log", "diff": diff}))
                }
                _ => {
                    let patch = format!(
                        "*** Begin Patch\n*** Update File: log\n@@\n+{mark} {count}\n [{mark}]\n*** End Patch"
                    );
                    call(workspace, "apply_patch", &json!({"patch": patch}))
                }
            };
            match told {
                Ok(_) => break,
                // The file has changed, or another process held it for too long: both are reported, and no
                // edit is lost.
                Err(words) if words.contains("changed") => lost += 1,
                Err(words) => panic!("{words}"),
            }
        }
    }
    lost
}

fn other(place: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "races::two_processes_lose_no_edit", "--nocapture"]).env(PLACE, place);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().unwrap()
}

// E5: at the end the file contains every edit that was reported to a model as done.
#[test]
fn two_processes_lose_no_edit() {
    if let Some(place) = std::env::var_os(PLACE) {
        edit_on(&Arc::new(Workspace::open(place).unwrap()), "theirs");
        return;
    }
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("log"), "[ours]\n---\n[theirs]\n").unwrap();
    let mut child = other(folder.path());
    let lost = edit_on(&Arc::new(Workspace::open(folder.path()).unwrap()), "ours");
    assert!(child.wait().unwrap().success());
    let lines = |mark: &str| -> String {
        let lines = (0..races() / 2).map(|count| format!("{mark} {count}"));
        lines.chain([format!("[{mark}]\n")]).collect::<Vec<_>>().join("\n")
    };
    let expected = format!("{}---\n{}", lines("ours"), lines("theirs"));
    assert_eq!(fs::read_to_string(folder.path().join("log")).unwrap(), expected);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    println!("{} edits, {lost} of ours were told that the file changed, 0 lost", races() / 2 * 2);
}
