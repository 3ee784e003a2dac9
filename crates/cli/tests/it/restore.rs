//! The changes of a run, shown and restored by other processes.

use std::fs;
use std::path::Path;

use serde_json::Value;
use windlass_testkit::{Need, require};

use crate::program::{Place, provider, text};

/// Two turns that change something, and one that looks.
const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "read_file", "arguments": {"path": "a.txt"}}},
        {"call": {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}},
        {"call": {"name": "write_file", "arguments": {"path": "deep/new.txt", "content": "new\n"}}}]},
    {"steps": [{"call": {"name": "read_file", "arguments": {"path": "a.txt"}}}]},
    {"steps": [{"call": {"name": "edit_file", "arguments": {"path": "a.txt", "old_text": "one", "new_text": "two"}}},
        {"call": {"name": "delete_file", "arguments": {"path": "deep/new.txt"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

struct FinishedRun {
    place: Place,
    id: String,
    told: String,
}

fn has_git() -> bool {
    ["/usr/bin/git", "/usr/local/bin/git", "/bin/git"].iter().any(|git| Path::new(git).exists())
}

async fn ran(more: &[&str]) -> FinishedRun {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let url = provider.base_url();
    let mut arguments = vec!["run", "do it", "--base-url", &url, "--model", "m", "--yes", "--preset", "full"];
    arguments.extend(more);
    let output = place.run(&arguments);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{told}");
    let id = place.run_id();
    FinishedRun { place, id, told }
}

impl FinishedRun {
    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.place.project().join(path)).unwrap()
    }

    #[track_caller]
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.place.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    #[track_caller]
    fn refused(&self, arguments: &[&str], why: &str) {
        let output = self.place.run(arguments);
        let told = text(&output.stderr);
        assert!(!output.status.success() && told.contains(why), "{arguments:?}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_reports_its_changes_and_restore_reverts_them() {
    require!(Need::Git, has_git());
    let ran = ran(&["--json"]).await;
    let events: Vec<Value> = ran.told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of = |kind: &str| events.iter().filter(|event| event["kind"] == kind).collect::<Vec<_>>();
    let turns: Vec<_> = of("checkpoint").iter().map(|event| event["turn"].as_u64().unwrap()).collect();
    assert_eq!(turns, [1, 3]);
    let diffs: Vec<_> = of("turn_diff").iter().map(|event| event["diff"].as_str().unwrap()).collect();
    assert!(diffs[0].contains("-hello\n+one\n") && diffs[0].contains("+new\n"), "{diffs:?}");
    assert!(diffs[1].contains("-one\n+two\n") && diffs[1].contains("-new\n"), "{diffs:?}");
    // A file that was created and deleted is not part of the sum.
    let whole = of("run_diff")[0]["diff"].as_str().unwrap();
    assert!(whole.contains("-hello\n+two\n") && !whole.contains("new.txt"), "{whole}");

    assert_eq!(ran.ok(&["diff", &ran.id]), whole);
    assert_eq!(ran.ok(&["diff", &ran.id, "--turn", "3"]), diffs[1]);
    let beginning = &ran.id[..ran.id.len() - 2];
    for name in ["last", beginning] {
        assert_eq!(ran.ok(&["diff", name]), whole);
        assert!(ran.ok(&["restore", name, "--dry-run"]).contains("restored a.txt"), "{name}");
    }
    ran.refused(&["diff", &ran.id, "--turn", "2"], "turn 2");
    ran.refused(&["diff", &ran.id, "--turn", "4"], "turn 4");

    let foreseen = ran.ok(&["restore", &ran.id, "--dry-run"]);
    assert!(
        foreseen.contains("restored a.txt") && foreseen.contains("1 file would be restored"),
        "{foreseen}"
    );
    assert_eq!(ran.read("a.txt"), "two\n");
    let third: Value = serde_json::from_str(&ran.ok(&["restore", &ran.id, "--to", "3", "--json"])).unwrap();
    assert_eq!((ran.read("a.txt"), ran.read("deep/new.txt")), ("one\n".to_owned(), "new\n".to_owned()));
    assert_eq!(third["written"], serde_json::json!(["a.txt", "deep/new.txt"]));
    ran.ok(&["restore", &ran.id]);
    assert_eq!(ran.read("a.txt"), "hello\n");
    assert!(!ran.place.project().join("deep").exists());
    ran.ok(&["restore", &ran.id, "--checkpoint", third["undo"].as_str().unwrap()]);
    assert_eq!(ran.read("a.txt"), "two\n");
    assert_eq!(
        ran.ok(&["restore", &ran.id, "--list"]).lines().filter(|line| line.ends_with("turn 3")).count(),
        2
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn restore_does_not_overwrite_later_changes_of_the_user_without_a_flag() {
    require!(Need::Git, has_git());
    let ran = ran(&[]).await;
    assert!(ran.told.contains("± turn 1: 2 files, 2 lines more and 1 less"), "{}", ran.told);
    assert!(ran.told.contains("± in all: 1 file, 1 line more and 1 less"), "{}", ran.told);
    fs::write(ran.place.project().join("a.txt"), "by a person\n").unwrap();
    ran.refused(&["restore", &ran.id], "--keep");
    assert_eq!(ran.read("a.txt"), "by a person\n");
    let kept = ran.ok(&["restore", &ran.id, "--keep"]);
    assert!(kept.contains("kept     a.txt (another program changed it since)"), "{kept}");
    fs::write(ran.place.project().join("a.txt"), "again\n").unwrap();
    ran.ok(&["restore", &ran.id, "--force"]);
    assert_eq!(ran.read("a.txt"), "hello\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_checkpoints_no_state_is_stored_and_it_is_reported() {
    let ran = ran(&["--no-checkpoints"]).await;
    assert!(!ran.told.contains('±'), "{}", ran.told);
    ran.refused(&["restore", &ran.id], "has no checkpoints");
    ran.refused(&["diff", &ran.id], "has no checkpoints");
    ran.refused(&["restore", "1-none"], "does not exist in");
}
