//! A run whose process is killed during a call resumes from its journal (R5, R6).

use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::program::{Place, provider, text, wire_formats};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"text": "I run it."}, {"call": {"name": "read_file", "arguments": {"path": "a.txt"}}},
               {"call": {"name": "run_command", "arguments": {"command": "echo $$ > started; exec sleep 60"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "went on"}}}]}]}"#;

/// Waits until a file has a whole line. The time only limits a broken test.
fn line_of(file: &Path, child: &mut Child) -> String {
    let began = Instant::now();
    loop {
        if let Ok(line) = std::fs::read_to_string(file)
            && line.ends_with('\n')
        {
            return line.trim().to_owned();
        }
        assert!(child.try_wait().unwrap().is_none(), "the run ended before its command began");
        assert!(began.elapsed() < Duration::from_mins(1), "the command never began");
        std::thread::yield_now();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_killed_during_a_command_resumes_with_a_valid_history() {
    for wire in wire_formats() {
        let (place, provider) = (Place::new(), provider(SCRIPT).await);
        let url = provider.base_url();
        let mut child = place
            .command(&["run", "do it", "--base-url", &url, "--wire", wire, "--model", "m", "--yes"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let sleeping = line_of(&place.project().join("started"), &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        // The command outlives its killed parent; the test does not wait for its end.
        std::process::Command::new("kill").args(["-9", &sleeping]).status().unwrap();

        let id = place.run_id();
        let journal = place.folder.path().join("state/runs").join(&id).join("journal");
        let mut file = std::fs::OpenOptions::new().append(true).open(&journal).unwrap();
        file.write_all(b"deadbeef 99 {\"seq\"").unwrap();

        let output = place.run(&["run", "--resume", &id, "--yes"]);
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success(), "{wire}: {told}");
        assert!(
            told.contains("the last record had been cut by a crash; it was dropped (18 bytes)"),
            "{told}"
        );
        assert!(told.contains("effects_unknown"), "{told}");
        // The provider refuses a history in which a call has no result, or two.
        let requests = provider.requests();
        assert!(requests.iter().all(|request| request.status == 200), "{wire}");
        assert_eq!(requests.len(), 2);
        assert!(requests[1].body.to_string().contains("effects_unknown"));
        assert_eq!(requests[1].body.to_string().matches("hello").count(), 1, "the read is there once");
        assert!(!place.run(&["run", "--resume", &id, "--yes"]).status.success(), "it is completed now");
        // command-line B12: the changes of the killed command belong to this run.
        if ["/usr/bin/git", "/usr/local/bin/git", "/bin/git"].iter().any(|git| Path::new(git).exists()) {
            let diff = place.run(&["diff", &id]);
            assert!(text(&diff.stdout).contains("+++ b/started"), "{}", text(&diff.stdout));
            let restored = place.run(&["restore", &id]);
            let told = text(&restored.stdout) + &text(&restored.stderr);
            assert!(restored.status.success() && !told.contains("another program"), "{told}");
        }
        provider.shutdown().await;
    }
}
