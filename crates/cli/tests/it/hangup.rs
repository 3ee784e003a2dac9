//! The end of the terminal while a run waits for an answer.

use std::process::Child;
use std::time::{Duration, Instant};

use crate::chat::{run_in_shell, talk, type_line, wait_for};
use crate::program::{Place, provider, text};
use crate::pty::Pty;

const ASKS: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "first", "name": "run_command", "arguments": {"command": "touch asked"}}}]},
    {"steps": [{"text": "The file exists."}]}], "fallback": "Nothing more."}"#;

/// Longest time that the program may work after its terminal is gone.
const END: Duration = Duration::from_secs(8);

/// Returns the processor time of a process, of all its threads.
fn processor_time(id: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    // The kernel counts 100 ticks in a second for programs.
    Some(Duration::from_millis(ticks * 10))
}

/// Waits for the end, and returns the processor time that the program used meanwhile.
#[track_caller]
fn end(child: &mut Child) -> Duration {
    let (began, before) = (Instant::now(), processor_time(child.id()).unwrap());
    let mut used = before;
    while child.try_wait().unwrap().is_none() {
        used = processor_time(child.id()).unwrap_or(used);
        if began.elapsed() > END {
            child.kill().unwrap();
            panic!(
                "the program works {END:?} after the end of its terminal, with {:?} of a core",
                used.saturating_sub(before)
            );
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    used.saturating_sub(before)
}

/// Returns true if a process of the place's program exists.
fn is_running(place: &Place) -> bool {
    let folder = place.folder.path().to_str().unwrap();
    let program = env!("CARGO_BIN_EXE_windlass");
    std::fs::read_dir("/proc").unwrap().flatten().any(|process| {
        let read = |name| std::fs::read(process.path().join(name)).unwrap_or_default();
        read("cmdline").starts_with(program.as_bytes()) && text(&read("environ")).contains(folder)
    })
}

#[track_caller]
fn check_resumable(place: &Place) {
    let id = place.run_id();
    let open = text(&place.run(&["approvals", "list"]).stdout);
    assert!(open.contains(&id) && open.contains("first: run_command"), "{open}");
    let answered = place.run(&["approvals", "approve", &id, "first"]);
    assert!(answered.status.success(), "{}", text(&answered.stderr));
    let resumed = place.run(&["run", "--resume", &id]);
    let told = text(&resumed.stdout) + &text(&resumed.stderr);
    assert!(resumed.status.success() && told.contains("The file exists."), "{told}");
    assert!(place.project().join("asked").exists());
}

/// The terminal does not control the program here, as with `nohup`, so no signal reports its end.
#[tokio::test(flavor = "multi_thread")]
async fn a_closed_terminal_ends_the_conversation_and_its_run_can_be_resumed() {
    let (place, provider) = (Place::new(), provider(ASKS).await);
    let mut pty = Pty::with_size(100, 30);
    let mut child = pty.start(talk(&place, &provider.base_url()));
    wait_for(&pty, 100, "describe a task");
    type_line(&mut pty, "touch it");
    wait_for(&pty, 100, "touch asked");
    wait_for(&pty, 100, "e edit the arguments");
    pty.hang_up();
    let used = end(&mut child);
    assert!(used < Duration::from_secs(1), "{used:?} of a core");
    check_resumable(&place);
    provider.shutdown().await;
}

/// The shell ends with its terminal, and the program receives SIGHUP.
#[tokio::test(flavor = "multi_thread")]
async fn a_hangup_of_the_controlling_terminal_ends_the_conversation() {
    let (place, provider) = (Place::new(), provider(ASKS).await);
    let mut pty = Pty::with_size(100, 30);
    let mut child = pty.start(run_in_shell(&place, &talk(&place, &provider.base_url())));
    wait_for(&pty, 100, "describe a task");
    type_line(&mut pty, "touch it");
    wait_for(&pty, 100, "touch asked");
    wait_for(&pty, 100, "e edit the arguments");
    pty.hang_up();
    end(&mut child);
    let began = Instant::now();
    while is_running(&place) {
        assert!(began.elapsed() < END, "the program did not end with its shell");
        std::thread::sleep(Duration::from_millis(20));
    }
    check_resumable(&place);
    provider.shutdown().await;
}
