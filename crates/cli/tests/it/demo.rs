//! `windlass demo`, the first thing that a newcomer runs.

use crate::program::{Place, text, wire_formats};

#[test]
fn the_demo_mends_its_project_in_every_format() {
    for wire in wire_formats() {
        let output = Place::new().run(&["demo", "--yes", "--wire", wire]);
        let told = text(&output.stdout);
        assert!(output.status.success(), "{wire}: {told}{}", text(&output.stderr));
        for word in [
            "+    sum=$((sum + price))",
            "run_command: ask by rule d.ask",
            "approved",
            "read_file: allow by rule b.read",
            "Used: 8050 tokens in, 308 out",
            "Journal: ",
            "The check, run once more from outside: passes",
        ] {
            assert!(told.contains(word), "{wire}: no {word:?} in {told}");
        }
    }
}

// H3: nothing happens before approval.
#[test]
fn without_a_terminal_the_demo_reports_its_question_and_changes_nothing() {
    let output = Place::new().run(&["demo"]);
    assert_eq!(output.status.code(), Some(1));
    let asked = text(&output.stderr);
    assert!(asked.contains("run_command wants to run") && asked.contains("--yes"), "{asked}");
    assert!(text(&output.stdout).contains("What changed:\n  nothing"));
}

// H14, R2: the question shows the call that will run, and the comment of a denial reaches the model in the
// result of that call.
#[test]
fn the_demo_shows_the_diff_and_the_command_and_continues_after_a_denial() {
    for wire in wire_formats() {
        let answers = "y\nuse a plus, please\ny\ny\n";
        let output = Place::new().run_with_input(&["demo", "--ask", "--wire", wire], answers);
        let (told, asked) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{wire}: {told}{asked}");
        for word in [
            "? run_command wants to run (high risk): it runs a program through another one",
            "command: sh check.sh",
            "program: [sh] [check.sh]",
            "? edit_file wants to run (medium risk): changing a file needs approval",
            "change of total.sh:",
            "    -    sum=$((sum - price))",
            "    +    sum=$((sum + price))",
        ] {
            assert!(asked.contains(word), "{wire}: no {word:?} in {asked}");
        }
        let said = "I was told: [denied] The human did not allow this call and says: use a plus, please";
        assert!(told.contains(said), "{wire}: {told}");
        assert!(told.contains("← edit_file: denied"), "{wire}: {told}");
        assert!(told.contains("The check, run once more from outside: passes"), "{wire}: {told}");
    }
}

#[test]
fn the_demo_in_json_is_a_line_an_event() {
    let output = Place::new().run(&["demo", "--yes", "--json"]);
    assert!(output.status.success());
    let events: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.last().unwrap()["event"], "finished");
    assert!(events.iter().any(|event| event["event"] == "tool_approval_request"));
}

// The demo leaves nothing in the temporary folder, whenever it is ended.
#[test]
fn a_demo_that_a_signal_ends_leaves_no_folder_behind() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        for delay in [0, 20, 80, 320] {
            let place = Place::new();
            let temporary = place.folder.path().join("tmp");
            std::fs::create_dir(&temporary).unwrap();
            let names = || std::fs::read_dir(&temporary).unwrap().flatten().map(|it| it.path());
            let mut child = place
                .command(&["demo", "--yes"])
                .env("TMPDIR", &temporary)
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap();
            // Wait until the demo has created its folder.
            while names().count() == 0 && child.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
            std::thread::sleep(std::time::Duration::from_millis(delay));
            let id = child.id().to_string();
            std::process::Command::new("kill").args(["-s", signal, &id]).status().unwrap();
            let status = child.wait().unwrap();
            let left: Vec<_> = names().collect();
            assert!(left.is_empty(), "{signal} after {delay} ms: {left:?}");
            assert_eq!(status.code(), Some(code), "{signal} after {delay} ms");
        }
    }
}
