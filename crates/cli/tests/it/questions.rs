//! Questions on a terminal: the keys that answer them, and their place among the events (security 5,
//! command-line A1, A7, B19).

use std::time::Duration;

use crate::program::{Place, provider};
use crate::pty::Pty;

const ONE: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "run_command", "arguments": {"command": "echo made > made"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

const TWO: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "run_command", "arguments": {"command": "echo 1 > one"}}},
        {"call": {"name": "run_command", "arguments": {"command": "echo 2 > two"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

const ASKS_FIRST: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "ask_followup_question",
        "arguments": {"question": "Paste the log", "suggestions": ["none", "some"]}}}]},
    {"steps": [{"call": {"name": "run_command", "arguments": {"command": "echo made > made"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

const PROMPT: &str = "May it run?";

/// Returns true if a program without an answer still waits after a long time for a computer.
fn is_made(place: &Place) -> bool {
    std::thread::sleep(Duration::from_secs(1));
    place.project().join("made").exists()
}

/// Returns how many of two calls ran. The order of questions within a turn is arbitrary.
fn made(place: &Place) -> usize {
    ["one", "two"].iter().filter(|name| place.project().join(name).exists()).count()
}

fn run(place: &Place, url: &str) -> std::process::Command {
    place.command(&["run", "do it", "--base-url", url, "--model", "m", "--no-checkpoints"])
}

#[tokio::test(flavor = "multi_thread")]
async fn input_typed_before_the_question_does_not_answer_it() {
    let (place, provider) = (Place::new(), provider(ONE).await);
    let mut pty = Pty::new();
    pty.keys("y\ny\ny");
    let mut child = pty.start(run(&place, &provider.base_url()));
    pty.wait(PROMPT, 1);
    // A key that was pressed before the question appeared does not answer it.
    pty.keys("y\n");
    assert!(!is_made(&place), "{}", pty.screen());
    pty.answer("y\n");
    assert!(pty.end(&mut child).success(), "{}", pty.screen());
    assert!(is_made(&place));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paste_at_one_question_answers_no_other() {
    let (place, provider) = (Place::new(), provider(ASKS_FIRST).await);
    let mut pty = Pty::new();
    let mut child = pty.start(run(&place, &provider.base_url()));
    pty.wait("Paste the log", 2);
    pty.answer("first line\na\nthird line\n");
    pty.wait(PROMPT, 1);
    assert!(!is_made(&place), "{}", pty.screen());
    // Pasted text does not approve a call, with or without the marks that a terminal puts around it.
    pty.answer("\u{1b}[200~y\u{1b}[201~\n");
    pty.wait(PROMPT, 2);
    pty.answer("y\ny\n");
    pty.wait(PROMPT, 3);
    assert!(!is_made(&place), "{}", pty.screen());
    pty.answer("n\n");
    assert!(pty.end(&mut child).success(), "{}", pty.screen());
    assert!(!is_made(&place));
    let requests = provider.requests();
    assert!(requests[1].body.to_string().contains("first line"), "{}", requests[1].body);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unclear_answer_repeats_the_question_and_ctrl_d_denies() {
    let (place, provider) = (Place::new(), provider(TWO).await);
    let mut pty = Pty::new();
    let mut child = pty.start(run(&place, &provider.base_url()));
    for (times, unclear) in ["ok\n", "sure\n", "?\n", "1\n", "\n"].iter().enumerate() {
        pty.wait(PROMPT, times + 1);
        pty.answer(unclear);
    }
    pty.wait(PROMPT, 6);
    pty.answer("YES\n");
    pty.wait(PROMPT, 7);
    pty.answer("\u{4}");
    assert!(pty.end(&mut child).success(), "{}", pty.screen());
    assert_eq!(made(&place), 1, "{}", pty.screen());
    let body = provider.requests()[1].body.to_string();
    assert!(body.contains("did not allow") && !body.contains("and says"), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_follows_its_call_and_its_outcome_precedes_the_next_prompt() {
    for _ in 0..3 {
        let (place, provider) = (Place::new(), provider(TWO).await);
        let mut pty = Pty::new();
        let mut child = pty.start(run(&place, &provider.base_url()));
        pty.wait(PROMPT, 1);
        pty.answer("n\n");
        pty.wait(PROMPT, 2);
        pty.answer("y\n");
        assert!(pty.end(&mut child).success(), "{}", pty.screen());
        let screen = pty.screen();
        let places = |text: &str| screen.match_indices(text).map(|(at, _)| at).collect::<Vec<_>>();
        let prompts = places(PROMPT);
        assert_eq!(prompts.len(), 2, "{screen}");
        let calls = places("→ run_command");
        assert!(calls.len() == 2 && calls.iter().all(|call| *call < prompts[0]), "{screen}");
        let denied = places("  denied");
        assert!(prompts[0] < denied[0] && denied[0] < prompts[1], "{screen}");
        let approved = places("  approved");
        assert!(prompts[1] < approved[0], "{screen}");
    }
}

// Regression test for the finding "command-line A7": the result of an approved call was held until the next answer.
#[tokio::test(flavor = "multi_thread")]
async fn the_result_of_an_approved_call_does_not_wait_for_the_next_answer() {
    for script in
        [TWO.to_owned(), TWO.replace("echo 1", "sleep 2; echo 1").replace("echo 2", "sleep 2; echo 2")]
    {
        let (place, provider) = (Place::new(), provider(&script).await);
        let mut pty = Pty::new();
        let mut child = pty.start(run(&place, &provider.base_url()));
        pty.wait(PROMPT, 1);
        pty.answer("y\n");
        pty.wait(PROMPT, 2);
        pty.wait("← run_command: ok", 1);
        let screen = pty.screen();
        let (result, question) = (screen.find("← run_command: ok").unwrap(), screen.rfind(PROMPT).unwrap());
        pty.answer("y\n");
        assert!(pty.end(&mut child).success(), "{}", pty.screen());
        assert_eq!(made(&place), 2, "{}", pty.screen());
        // A question that stands above the result is repeated below it.
        let is_repeated = pty.screen().contains("run_command still waits for an answer [y: yes");
        assert_eq!(is_repeated, question < result, "{}", pty.screen());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn piped_answers_are_read_by_line_and_unclear_ones_repeat_the_question() {
    let (place, provider) = (Place::new(), provider(TWO).await);
    let arguments = ["run", "do it", "--base-url", &provider.base_url(), "--model", "m", "--ask"];
    let output = place.run_with_input(&arguments, "ok\nYES\nuse something else\n");
    let told = crate::program::text(&output.stdout) + &crate::program::text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert_eq!(made(&place), 1, "{told}");
    assert_eq!(told.matches(PROMPT).count(), 3, "{told}");
    assert!(provider.requests()[1].body.to_string().contains("use something else"));
    assert_eq!(place.windows(), ["terminal", "terminal"]);
}

// Issue 23: `approvals` from a second terminal answers a run that waits in the first.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_on_a_terminal_is_answered_from_another_process() {
    let (place, provider) = (Place::new(), provider(ONE).await);
    let pty = Pty::new();
    let mut child = pty.start(run(&place, &provider.base_url()));
    pty.wait(PROMPT, 1);
    let id = place.run_id();
    let list = place.run(&["approvals", "list", &id, "--json"]);
    let list: serde_json::Value = serde_json::from_slice(&list.stdout).unwrap();
    assert_eq!(list["is_suspended"], false);
    let question = list["approvals"][0]["request"]["request_id"].as_str().unwrap().to_owned();
    let answer = place.run(&["approvals", "approve", &id, &question]);
    assert!(answer.status.success(), "{answer:?}");
    assert!(pty.end(&mut child).success(), "{}", pty.screen());
    assert!(place.project().join("made").exists());
    assert_eq!(place.windows(), ["command line"]);
    let late = place.run(&["approvals", "deny", &id, &question]);
    assert!(!late.status.success(), "a question is answered once");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_approvals_list_distinguishes_active_and_killed_runs() {
    let (place, provider) = (Place::new(), provider(ONE).await);
    let pty = Pty::new();
    let mut child = pty.start(run(&place, &provider.base_url()));
    pty.wait(PROMPT, 1);
    let id = place.run_id();
    let list = || crate::program::text(&place.run(&["approvals", "list"]).stdout);
    let list_json = || -> serde_json::Value {
        serde_json::from_slice(&place.run(&["approvals", "list", "--json"]).stdout).unwrap()
    };
    assert!(list().starts_with(&format!("{id} (works in another process)\n")), "{}", list());
    assert_eq!(list_json()["is_active"], true);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(list().starts_with(&format!("{id} (interrupted)\n")), "{}", list());
    assert_eq!(list_json()["is_active"], false);
}
