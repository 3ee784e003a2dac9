//! Runs that wait without a process and are answered from other processes, and messages to runs that work.

use serde_json::Value;

use crate::program::{Place, provider, text};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "first", "name": "write_file", "arguments": {"path": "one.txt", "content": "1"}}},
        {"call": {"id": "second", "name": "write_file", "arguments": {"path": "two.txt", "content": "2"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "and this"}}}]}]}"#;

/// The output of a shell about a suspended run.
const SUSPENDED: i32 = 75;

struct Waiting {
    place: Place,
    provider: windlass_mock::ScriptedProvider,
    id: String,
}

impl Waiting {
    /// Starts a run that waits for the approval of two writes.
    async fn new(more: &[&str]) -> Self {
        Self::of(SCRIPT, more).await
    }

    async fn of(script: &str, more: &[&str]) -> Self {
        let (place, provider) = (Place::new(), provider(script).await);
        let url = provider.base_url();
        let mut arguments = vec!["run", "do it", "--base-url", &url, "--model", "m"];
        arguments.extend(more);
        let output = place.run(&arguments);
        let told = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(SUSPENDED), "{told}");
        assert!(
            told.contains("it waits for an approval or denial of first, an approval or denial of second"),
            "{told}"
        );
        let id = place.run_id();
        assert!(told.contains(&format!("windlass run --resume {id}")), "{told}");
        // command-line B21
        assert_eq!(told.contains("the provider reported no tokens"), script != SCRIPT, "{told}");
        Self { place, provider, id }
    }

    #[track_caller]
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.place.run(arguments);
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {told}");
        told
    }

    #[track_caller]
    fn refused(&self, arguments: &[&str], why: &str) {
        let output = self.place.run(arguments);
        let told = text(&output.stderr);
        assert!(!output.status.success() && told.contains(why), "{arguments:?}: {told}");
    }

    fn is_there(&self, file: &str) -> bool {
        self.place.project().join(file).exists()
    }
}

// H13, R2, R6: the calls of a suspended run can be answered in any order, in any subset and from other processes; a
// comment is in the result of its own call.
#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_run_is_answered_from_other_processes_in_any_order() {
    let run = Waiting::new(&["--suspend"]).await;
    let id = run.id.as_str();
    let told = run.ok(&["approvals", "list"]);
    assert!(
        told.contains(id) && told.contains("first: write_file") && told.contains("second: write_file"),
        "{told}"
    );
    let told = run.ok(&["approvals", "list", id, "--full"]);
    assert!(told.contains("change of one.txt"), "{told}");

    run.ok(&["approvals", "approve", id, "second", "--comment", "but no more"]);
    let told = run.ok(&["approvals", "list", "--json"]);
    let line: Value = serde_json::from_str(told.trim()).unwrap();
    assert_eq!(line["approvals"][1]["answer"]["approved"], true, "{line}");
    assert_eq!(line["approvals"][0]["answer"], Value::Null, "{line}");
    let output = run.place.run(&["run", "--resume", id]);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(SUSPENDED), "{told}");
    assert!(run.is_there("two.txt") && !run.is_there("one.txt"), "{told}");
    run.refused(
        &["approvals", "approve", id, "second"],
        "has no question about second; it asks about: first",
    );

    run.ok(&["approvals", "deny", id, "first", "--comment", "not that one"]);
    let told = run.ok(&["run", "--resume", id]);
    assert!(told.contains("done"), "{told}");
    assert!(!run.is_there("one.txt"));
    let requests = run.provider.requests();
    assert_eq!(requests.len(), 2, "a model is asked only when all is answered");
    let body = requests[1].body.to_string();
    assert!(body.contains("not that one"), "{body}");
    assert!(run.ok(&["approvals", "list"]).contains("no run has open questions"));
    run.refused(&["approvals", "approve", id, "--all"], "has no open questions");
    run.refused(&["approvals", "approve", "nothing", "--all"], "does not exist in");
}

// command-line B21
#[tokio::test(flavor = "multi_thread")]
async fn unreported_tokens_are_not_shown_as_zero() {
    let none = "], \"usage\": {\"input\": 0, \"output\": 0}}";
    let silent = SCRIPT.replace("]},", &format!("{none},")).replace("]}]}", &format!("{none}]}}"));
    let run = Waiting::of(&silent, &[]).await;
    run.ok(&["approvals", "approve", &run.id, "--all"]);
    let told = run.ok(&["run", "--resume", &run.id]);
    assert!(
        told.contains("the provider reported no tokens, cost unknown; journal: ")
            && !told.contains("0 tokens"),
        "{told}"
    );
}

// H4, H5: an approval covers the shown change; a file that changed meanwhile needs another approval.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_does_not_count_if_the_displayed_call_has_changed() {
    let run = Waiting::new(&[]).await;
    run.ok(&["approvals", "approve", &run.id, "--all"]);
    std::fs::write(run.place.project().join("one.txt"), "the user's own").unwrap();
    let output = run.place.run(&["run", "--resume", &run.id]);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(run.is_there("two.txt"), "{told}");
    assert_eq!(std::fs::read_to_string(run.place.project().join("one.txt")).unwrap(), "the user's own");
    // The question says why it is asked again.
    let listed = run.ok(&["approvals", "list", "--full"]);
    assert!(
        listed.contains("asked again, because one.txt has changed since the earlier question"),
        "{listed}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_question_waits_for_a_comment() {
    let run = Waiting::new(&["--ask-after-requests", "1"]).await;
    let id = run.id.as_str();
    run.ok(&["approvals", "approve", id, "--all"]);
    run.refused(&["approvals", "comment", id, "yes"], "has no open question about how it continues");
    let output = run.place.run(&["run", "--resume", id]);
    assert_eq!(output.status.code(), Some(SUSPENDED));
    assert!(run.ok(&["approvals", "list"]).contains("? The run has used 1 requests"));
    run.ok(&["approvals", "comment", id, "yes"]);
    let told = run.ok(&["run", "--resume", id]);
    assert!(told.contains("✓ done"), "{told}");
}

// H10: permission to continue counts once, for the question that it answers.
#[tokio::test(flavor = "multi_thread")]
async fn a_used_answer_does_not_answer_the_next_question() {
    let run = Waiting::new(&["--ask-after-requests", "1"]).await;
    let id = run.id.as_str();
    run.ok(&["approvals", "approve", id, "--all"]);
    run.ok(&["say", id, "and this", "--after"]);
    assert_eq!(run.place.run(&["run", "--resume", id]).status.code(), Some(SUSPENDED));
    run.ok(&["approvals", "comment", id, "yes"]);
    assert_eq!(run.place.run(&["run", "--resume", id]).status.code(), Some(SUSPENDED), "it asks again");
    assert_eq!(
        run.place.run(&["run", "--resume", id]).status.code(),
        Some(SUSPENDED),
        "nobody answered that"
    );
    assert_eq!(run.provider.requests().len(), 2);
    run.ok(&["approvals", "comment", id, "yes"]);
    let told = run.ok(&["run", "--resume", id]);
    assert!(told.contains("✓ and this"), "{told}");
}

// R5: a message is kept until the run has recorded it.
#[tokio::test(flavor = "multi_thread")]
async fn messages_are_delivered_on_resume_and_a_later_task_follows() {
    let run = Waiting::new(&[]).await;
    let id = run.id.as_str();
    run.ok(&["say", id, "be brief"]);
    run.ok(&["say", id, "then the changelog", "--after"]);
    run.refused(&["say", id, "  "], "message is empty");
    run.ok(&["approvals", "deny", id, "--all"]);
    let told = run.ok(&["run", "--resume", id]);
    assert!(told.contains("> be brief") && told.contains("> then the changelog"), "{told}");
    assert!(told.contains("✓ and this"), "{told}");
    let requests = run.provider.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests[1].body.to_string().contains("be brief"));
    assert!(requests[2].body.to_string().contains("then the changelog"));
    let left = std::fs::read_dir(run.place.folder.path().join("state/runs").join(id).join("inbox")).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn results_of_unknown_calls_are_refused() {
    let place = Place::new();
    std::fs::create_dir_all(place.folder.path().join("state/runs/1-a")).unwrap();
    let output = place.run(&["approvals", "result", "1-a", "call", "text"]);
    assert!(!output.status.success());
    let output = place.run(&["approvals", "list"]);
    assert!(output.status.success() && text(&output.stdout).contains("no run has open questions"));
}

// F34: damage is reported with a remedy, nothing is discarded, and the model is informed.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_record_is_resumed_with_salvage() {
    let run = Waiting::new(&[]).await;
    let journal = run.place.folder.path().join("state/runs").join(&run.id).join("journal");
    let mut bytes = std::fs::read(&journal).unwrap();
    let third = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(2).unwrap().0;
    bytes[third + 30] ^= 1;
    std::fs::write(&journal, &bytes).unwrap();
    let told = text(&run.place.run(&["run", "--resume", &run.id]).stderr);
    assert!(told.contains("is damaged at line 4") && told.contains("--salvage"), "{told}");
    let told = run.ok(&["run", "--resume", &run.id, "--salvage", "--yes"]);
    assert!(told.contains("The record of this run was damaged"), "{told}");
    let kept = std::fs::read(journal.with_file_name("journal.damaged-1")).unwrap();
    assert_eq!(kept, bytes);
}

// F36: one run is worked on by one process.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_cannot_resume_an_active_run() {
    let run = Waiting::new(&[]).await;
    let journal = run.place.folder.path().join("state/runs").join(&run.id).join("journal");
    let held = std::fs::File::open(&journal).unwrap();
    held.lock().unwrap();
    let told = text(&run.place.run(&["run", "--resume", &run.id, "--yes"]).stderr);
    assert!(told.contains("is in use by another process"), "{told}");
    drop(held);
    run.ok(&["run", "--resume", &run.id, "--yes"]);
}

// correctness-2 7: one file that cannot be read hides no other run.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_read_is_noted_and_hides_nothing() {
    let run = Waiting::new(&[]).await;
    let id = run.id.as_str();
    run.ok(&["approvals", "approve", id, "first"]);
    let answers = run.place.folder.path().join("state/runs").join(id).join("answers");
    std::fs::write(answers.join("x.json"), "{\"answer\": \"app").unwrap();
    std::fs::create_dir(answers.join("folder.json")).unwrap();
    let told = run.ok(&["approvals", "list"]);
    assert!(
        told.contains("left out") && told.contains("first: approved") && told.contains("second: "),
        "{told}"
    );
    let output = run.place.run(&["run", "--resume", id]);
    assert_eq!(output.status.code(), Some(SUSPENDED));
    assert!(run.is_there("one.txt") && !run.is_there("two.txt"));
}

// A suspicion of correctness-2: messages keep their order when the clock goes back.
#[tokio::test(flavor = "multi_thread")]
async fn messages_are_delivered_in_their_order() {
    let run = Waiting::new(&[]).await;
    let id = run.id.as_str();
    let inbox = run.place.folder.path().join("state/runs").join(id).join("inbox");
    std::fs::create_dir(&inbox).unwrap();
    // A message of an earlier version, from a time when the clock was ahead.
    let name = format!("{:039}-1.json", 4_102_444_800_000_000_000_u128);
    std::fs::write(inbox.join(name), r#"{"text": "first word", "when": "next_turn"}"#).unwrap();
    run.ok(&["say", id, "second word"]);
    run.ok(&["say", id, "third word"]);
    run.ok(&["approvals", "deny", id, "--all"]);
    let told = run.ok(&["run", "--resume", id]);
    let place = |words: &str| told.find(words).unwrap_or_else(|| panic!("no {words}: {told}"));
    assert!(place("> first word") < place("> second word"), "{told}");
    assert!(place("> second word") < place("> third word"), "{told}");
}

// R5: the process was killed after it had recorded the message and before it removed the message's file.
#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_message_is_not_delivered_again() {
    let run = Waiting::new(&[]).await;
    let id = run.id.as_str();
    run.ok(&["say", id, "be brief"]);
    let folder = run.place.folder.path().join("state/runs").join(id);
    let inbox = folder.join("inbox");
    let left = std::fs::read_dir(&inbox).unwrap().map(|entry| entry.unwrap().path());
    let file = left.into_iter().find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    let message = std::fs::read(&file).unwrap();
    run.ok(&["approvals", "deny", id, "--all"]);
    run.ok(&["run", "--resume", id]);
    assert!(!file.exists());

    // The content of the disk at that point: the record up to the message, and the file.
    let journal = folder.join("journal");
    let records = std::fs::read_to_string(&journal).unwrap();
    let queued = records.find(r#""entry":"queued""#).unwrap();
    let end = queued + records[queued..].find('\n').unwrap() + 1;
    std::fs::write(&journal, &records[..end]).unwrap();
    std::fs::write(&file, message).unwrap();
    let told = run.ok(&["run", "--resume", id]);
    assert_eq!(told.matches("> be brief").count(), 1, "{told}");
    let last = run.provider.requests().pop().unwrap().body.to_string();
    assert_eq!(last.matches("be brief").count(), 1, "{last}");
    assert!(!file.exists(), "and it is removed");
}
