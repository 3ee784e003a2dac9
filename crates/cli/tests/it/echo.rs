//! The echo of typed keys while a run prints to a terminal, and each way out of it.

use std::process::Child;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::program::{Place, provider};
use crate::pty::Pty;

/// A text that takes some seconds, and a call that is asked about.
const SLOW: &str = r#"{"turns": [
    {"delay_ms": 100, "piece": 4, "steps": [
        {"text": "first half of a text that arrives in small pieces and takes its time until its second half"},
        {"call": {"name": "run_command", "arguments": {"command": "echo made > made"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

fn run(place: &Place, url: &str) -> std::process::Command {
    place.command(&["run", "do it", "--base-url", url, "--model", "m", "--no-checkpoints"])
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_echoed_at_questions_and_not_into_the_text() {
    let (place, provider) = (Place::new(), provider(SLOW).await);
    let mut pty = Pty::new();
    let mut child = pty.start(run(&place, &provider.base_url()));
    pty.wait("first half", 1);
    pty.keys("unwanted");
    pty.wait("May it run?", 1);
    assert!(!pty.screen().contains("unwanted"), "{}", pty.screen());
    assert!(pty.screen().contains("and takes its time until its second half"), "{}", pty.screen());
    pty.wait_for_echo(true);
    pty.answer("n\n");
    assert!(pty.end(&mut child).success(), "{}", pty.screen());
    assert!(pty.has_echo());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_end_restores_the_echo() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::QUIT, 131), (Signal::INT, 1)] {
        let (place, provider) = (Place::new(), provider(SLOW).await);
        let pty = Pty::new();
        let mut child = pty.start(run(&place, &provider.base_url()));
        pty.wait("first half", 1);
        pty.wait_for_echo(false);
        send(&child, signal);
        if signal == Signal::INT {
            pty.wait("stopping", 1);
            send(&child, signal);
        }
        let status = pty.end(&mut child);
        assert!(pty.has_echo(), "{signal:?}: {}", pty.screen());
        let codes = if signal == Signal::INT { vec![1, 130] } else { vec![code] };
        assert!(status.code().is_some_and(|code| codes.contains(&code)), "{signal:?}: {status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_run_leaves_the_echo_on_until_it_continues() {
    let (place, provider) = (Place::new(), provider(SLOW).await);
    let mut pty = Pty::new();
    let mut child = pty.start(run(&place, &provider.base_url()));
    pty.wait("first half", 1);
    pty.wait_for_echo(false);
    send(&child, Signal::TSTP);
    pty.wait_for_echo(true);
    std::thread::sleep(Duration::from_millis(200));
    send(&child, Signal::CONT);
    pty.wait_for_echo(false);
    pty.wait("May it run?", 1);
    pty.answer("n\n");
    assert!(pty.end(&mut child).success(), "{}", pty.screen());
    assert!(pty.has_echo());
}
