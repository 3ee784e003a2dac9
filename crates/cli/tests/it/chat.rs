//! The conversation of `windlass` without a command, on a terminal of its own.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::program::{Place, provider, text};
use crate::pty::Pty;

const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) const TALK: &str = r#"{"turns": [
    {"steps": [{"text": "First answer: 日本語 and 👩 stay whole.\n\n- one\n- two\n"}]},
    {"steps": [{"call": {"name": "run_command", "arguments": {"command": "touch made"}}}]},
    {"steps": [{"text": "The command has ended."}]}], "fallback": "Nothing more."}"#;

pub(crate) fn talk(place: &Place, url: &str) -> Command {
    let mut command = place.command(&["--model", "scripted-1", "--base-url", &format!("{url}/v1")]);
    command.args(["--sandbox", "off", "--no-mcp", "--no-checkpoints"]).env("TERM", "xterm-256color");
    command
}

/// Returns the screen and the scrollback of everything that was written.
pub(crate) fn history(pty: &Pty, columns: u16) -> Vec<String> {
    let size = |count| std::num::NonZeroU16::new(count).unwrap();
    let mut terminal = vt100::Parser::new(size(24), size(columns), 10_000);
    terminal.process(pty.screen().as_bytes());
    terminal.screen_mut().set_scrollback(usize::MAX);
    let depth = terminal.screen().scrollback();
    let mut lines = Vec::new();
    for offset in (1..=depth).rev() {
        terminal.screen_mut().set_scrollback(offset);
        lines.extend(terminal.screen().rows(0, columns).next());
    }
    terminal.screen_mut().set_scrollback(0);
    lines.extend(terminal.screen().rows(0, columns));
    lines
}

#[track_caller]
pub(crate) fn wait_for(pty: &Pty, columns: u16, words: &str) -> String {
    let began = Instant::now();
    loop {
        let lines = history(pty, columns).join("\n");
        if lines.contains(words) {
            return lines;
        }
        assert!(began.elapsed() < PATIENCE, "no {words:?} in:\n{lines}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Types like a person: a burst would be a paste.
pub(crate) fn type_line(pty: &mut Pty, line: &str) {
    pty.keys(line);
    std::thread::sleep(Duration::from_millis(100));
    pty.keys("\r");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_continues_and_only_a_key_after_the_question_approves() {
    for columns in [40, 80, 200] {
        let (place, provider) = (Place::new(), provider(TALK).await);
        let mut pty = Pty::with_size(columns, 24);
        let mut child = pty.start(talk(&place, &provider.base_url()));
        wait_for(&pty, columns, "describe a task");
        type_line(&mut pty, "hello");
        wait_for(&pty, columns, "• two");
        wait_for(&pty, columns, "describe a task");
        type_line(&mut pty, "run it");
        // Keys every 10 ms around the appearance of the question.
        let began = Instant::now();
        while !history(&pty, columns).join("\n").contains("touch made") {
            assert!(began.elapsed() < PATIENCE, "{}", history(&pty, columns).join("\n"));
            pty.keys("y");
            std::thread::sleep(Duration::from_millis(10));
        }
        for _ in 0..50 {
            pty.keys("y");
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_secs(1));
        assert!(!place.project().join("made").exists(), "a key before the question ran the command");
        // The keys became a text in the composer; after it is deleted, a key answers the question.
        pty.keys("\u{3}");
        std::thread::sleep(Duration::from_secs(1));
        pty.keys("y");
        let lines = wait_for(&pty, columns, "The command has ended.");
        assert!(place.project().join("made").exists(), "{lines}");
        assert_eq!(lines.matches("First answer: 日本語 and 👩").count(), 1, "{lines}");
        assert_eq!(lines.matches("windlass 0").count(), 1, "{lines}");
        std::thread::sleep(Duration::from_millis(200));
        pty.keys("\u{4}");
        assert!(pty.end(&mut child).success(), "{}", pty.screen());
        assert!(pty.screen().contains("continue with: windlass --resume"), "{}", pty.screen());
        assert!(pty.screen().contains("\u{1b}[?2004l"), "the modes are restored");
        provider.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_and_enter_in_one_write_are_sent_and_several_lines_are_not() {
    let (place, provider) = (Place::new(), provider(TALK).await);
    let mut pty = Pty::with_size(80, 24);
    let mut child = pty.start(talk(&place, &provider.base_url()));
    wait_for(&pty, 80, "describe a task");
    // Lines without the marks of a paste, and with a line break at the end.
    pty.keys("one\rtwo\r");
    wait_for(&pty, 80, "two");
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(provider.requests().len(), 0, "{}", history(&pty, 80).join("\n"));
    pty.keys("\u{3}");
    wait_for(&pty, 80, "describe a task");
    std::thread::sleep(Duration::from_millis(100));
    pty.keys("hello\r");
    wait_for(&pty, 80, "• two");
    assert_eq!(provider.requests().len(), 1);
    wait_for(&pty, 80, "describe a task");
    pty.keys("\u{4}");
    assert!(pty.end(&mut child).success(), "{}", pty.screen());
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_paste_is_folded_and_reaches_the_model_whole() {
    let (place, provider) = (Place::new(), provider(TALK).await);
    let mut pty = Pty::with_size(80, 24);
    let mut child = pty.start(talk(&place, &provider.base_url()));
    wait_for(&pty, 80, "describe a task");
    let paste = "a line of the log 日本語\n".repeat(40_000);
    assert!(paste.len() > 1_000_000);
    pty.keys(&format!("\u{1b}[200~{paste}END-OF-PASTE\u{1b}[201~"));
    wait_for(&pty, 80, "[paste 1: 40001 lines");
    pty.keys("\r");
    wait_for(&pty, 80, "• two");
    let body = provider.requests()[0].body.to_string();
    assert!(body.contains("END-OF-PASTE") && body.len() > 1_000_000, "{} bytes", body.len());
    pty.keys("\u{4}");
    assert!(pty.end(&mut child).success());
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_opened_again_with_its_history() {
    let (place, provider) = (Place::new(), provider(TALK).await);
    let mut pty = Pty::with_size(80, 24);
    let mut child = pty.start(talk(&place, &provider.base_url()));
    wait_for(&pty, 80, "describe a task");
    type_line(&mut pty, "hello");
    wait_for(&pty, 80, "• two");
    wait_for(&pty, 80, "describe a task");
    pty.keys("\u{4}");
    assert!(pty.end(&mut child).success(), "{}", pty.screen());
    let mut pty = Pty::with_size(80, 24);
    let mut command = talk(&place, &provider.base_url());
    command.arg("--continue");
    let mut child = pty.start(command);
    wait_for(&pty, 80, "> hello");
    wait_for(&pty, 80, "First answer");
    pty.keys("\u{4}");
    assert!(pty.end(&mut child).success(), "{}", pty.screen());
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_are_printed_for_a_terminal_that_cannot_move_its_cursor() {
    let (place, provider) = (Place::new(), provider(TALK).await);
    let mut pty = Pty::new();
    let mut command = talk(&place, &provider.base_url());
    command.env("TERM", "dumb");
    let mut child = pty.start(command);
    pty.wait("A line is a task", 1);
    pty.keys("hello\n");
    pty.wait("- two", 1);
    pty.wait("› ", 2);
    pty.keys("\u{4}");
    assert!(pty.end(&mut child).success(), "{}", pty.screen());
    assert!(!pty.screen().contains('\u{1b}'), "{}", pty.screen());
    provider.shutdown().await;
}

#[test]
fn without_a_terminal_and_a_command_the_help_is_printed() {
    let refused = Place::new().run(&[]);
    assert_eq!(refused.status.code(), Some(2));
    let words = text(&refused.stderr);
    assert!(words.contains("demo") && words.contains("Usage:"), "{words}");
}

/// Returns the command of a shell that runs a program, prints `stopped` when it is suspended, and continues it. Only a shell
/// with job control on a terminal of its own can continue a stopped program.
pub(crate) fn run_in_shell(place: &Place, program: &Command) -> Command {
    let words: Vec<&str> = program.get_args().map(|word| word.to_str().unwrap()).collect();
    let line = format!("set -m; '{}' {}; echo stopped; fg", env!("CARGO_BIN_EXE_windlass"), words.join(" "));
    let mut command = Command::new("setsid");
    command.args(["-c", "-w", "bash", "-c", &line]).current_dir(place.project());
    command.env_clear().envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}
