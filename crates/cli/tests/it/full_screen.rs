//! The conversation on the whole screen: its pages, and each way back to the normal screen.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::chat::{TALK, history, run_in_shell, talk, type_line, wait_for};
use crate::program::{Place, provider};
use crate::pty::Pty;

const ENTER: &str = "\u{1b}[?1049h";
const LEAVE: &str = "\u{1b}[?1049l";

/// Returns a script whose model answers slowly with sixty lines.
fn long() -> String {
    let items = (0..60).fold(String::new(), |text, at| text + &format!("- item {at:03} 日本語 👩 words\\n"));
    format!(
        r#"{{"turns": [{{"steps": [{{"text": "{items}"}}], "piece": 10, "delay_ms": 2}}], "fallback": "Nothing more."}}"#
    )
}

fn full_screen(place: &Place, url: &str) -> Command {
    let mut command = talk(place, url);
    command.arg("--fullscreen");
    command
}

/// Waits until the screen does not contain a text.
#[track_caller]
fn wait_without(pty: &Pty, columns: u16, words: &str) {
    let began = Instant::now();
    while history(pty, columns).join("\n").contains(words) {
        assert!(began.elapsed() < Duration::from_mins(1), "{words:?} stays");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Checks that the terminal is as it was, with the end of the conversation on the normal screen.
#[track_caller]
fn check_end(pty: &Pty, columns: u16, words: &str) {
    let bytes = pty.screen();
    let (_, after) = bytes.rsplit_once(LEAVE).expect("the normal screen is displayed");
    assert!(!after.contains(ENTER), "{after:?}");
    assert!(after.contains("continue with: windlass --resume"), "{after:?}");
    assert!(bytes.contains("\u{1b}[?1000l") && bytes.contains("\u{1b}[?2004l"), "the modes are restored");
    assert!(pty.has_echo());
    let lines = history(pty, columns).join("\n");
    assert!(lines.contains(words) && !lines.contains("describe a task"), "{lines}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_the_wheel_show_earlier_lines_and_the_end_stays_on_the_normal_screen() {
    for columns in [40, 80, 200] {
        let (place, provider) = (Place::new(), provider(&long()).await);
        let mut pty = Pty::with_size(columns, 24);
        let mut child = pty.start(full_screen(&place, &provider.base_url()));
        wait_for(&pty, columns, "describe a task");
        type_line(&mut pty, "list");
        wait_for(&pty, columns, "item 059");
        let lines = wait_for(&pty, columns, "describe a task");
        assert!(!lines.contains("item 030"), "{lines}");
        pty.keys("\u{1b}[5~");
        wait_for(&pty, columns, "below");
        wait_for(&pty, columns, "item 030");
        pty.keys("\u{1b}[1;5H");
        wait_for(&pty, columns, "> list");
        for _ in 0..5 {
            pty.keys("\u{1b}[<65;5;5M");
        }
        wait_without(&pty, columns, "> list");
        // A command displays its lines, which are the newest ones.
        type_line(&mut pty, "/cost");
        wait_for(&pty, columns, "tokens in");
        wait_without(&pty, columns, "below");
        pty.keys("\u{4}");
        assert!(pty.end(&mut child).success(), "{}", pty.screen());
        check_end(&pty, columns, "item 059");
        provider.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_is_lost_when_the_size_changes() {
    let (place, provider) = (Place::new(), provider(TALK).await);
    let mut pty = Pty::with_size(100, 24);
    let mut child = pty.start(full_screen(&place, &provider.base_url()));
    wait_for(&pty, 100, "describe a task");
    let mut typed = String::new();
    for at in 0..40_u8 {
        let key = char::from(b'a' + at % 26);
        typed.push(key);
        // Both arrive while the program waits, in either order.
        pty.resize(&child, 100, 23 + u16::from(at % 2));
        pty.keys(&key.to_string());
        wait_for(&pty, 100, &format!("› {typed}"));
    }
    pty.keys("\u{3}\u{4}");
    assert!(pty.end(&mut child).success());
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_sizes_leaves_all_lines_in_reach() {
    let (place, provider) = (Place::new(), provider(&long()).await);
    let mut pty = Pty::with_size(200, 24);
    let mut child = pty.start(full_screen(&place, &provider.base_url()));
    wait_for(&pty, 200, "describe a task");
    type_line(&mut pty, "list");
    for step in 0..100_u16 {
        pty.resize(&child, 40 + step * 37 % 160, 12 + step * 7 % 13);
        std::thread::sleep(Duration::from_millis(7));
    }
    pty.resize(&child, 200, 24);
    wait_for(&pty, 200, "item 059");
    wait_for(&pty, 200, "describe a task");
    let mut seen = String::new();
    for _ in 0..6 {
        std::thread::sleep(Duration::from_millis(200));
        seen.push_str(&history(&pty, 200).join("\n"));
        pty.keys("\u{1b}[5~");
    }
    for at in 0..60 {
        assert!(seen.contains(&format!("item {at:03} 日本語")), "{at} in\n{seen}");
    }
    pty.keys("\u{4}");
    assert!(pty.end(&mut child).success());
    check_end(&pty, 200, "item 059");
    provider.shutdown().await;
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_end_restores_the_terminal() {
    for end in [Some((Signal::TERM, 143)), Some((Signal::HUP, 129)), Some((Signal::INT, 130)), None] {
        let (place, provider) = (Place::new(), provider(TALK).await);
        let mut pty = Pty::with_size(80, 24);
        let mut child = pty.start(full_screen(&place, &provider.base_url()));
        wait_for(&pty, 80, "describe a task");
        type_line(&mut pty, "hello");
        wait_for(&pty, 80, "• two");
        wait_for(&pty, 80, "describe a task");
        assert!(!pty.has_echo());
        if let Some((signal, code)) = end {
            send(&child, signal);
            assert_eq!(pty.end(&mut child).code(), Some(code), "{}", pty.screen());
        } else {
            // Ctrl-C, twice.
            pty.keys("\u{3}");
            wait_for(&pty, 80, "press Ctrl-C again");
            pty.keys("\u{3}");
            assert!(pty.end(&mut child).success(), "{}", pty.screen());
        }
        check_end(&pty, 80, "• two");
        provider.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_gets_its_screen_and_the_conversation_continues() {
    let (place, provider) = (Place::new(), provider(TALK).await);
    let mut pty = Pty::with_size(80, 24);
    let program = full_screen(&place, &provider.base_url());
    let mut child = pty.start(run_in_shell(&place, &program));
    wait_for(&pty, 80, "describe a task");
    type_line(&mut pty, "hello");
    wait_for(&pty, 80, "• two");
    wait_for(&pty, 80, "describe a task");
    pty.keys("\u{1a}");
    pty.wait("stopped", 1);
    let bytes = pty.screen();
    let (before, _) = bytes.split_once("stopped\r\n").unwrap_or_default();
    assert!(before.matches(LEAVE).count() == 1, "the shell prints to its own screen: {before:?}");
    pty.wait(ENTER, 2);
    // The stored lines are painted again.
    let lines = wait_for(&pty, 80, "• two");
    assert!(!lines.contains("stopped"), "{lines}");
    std::thread::sleep(Duration::from_millis(300));
    pty.keys("\u{4}");
    assert!(pty.end(&mut child).success(), "{}", pty.screen());
    check_end(&pty, 80, "• two");
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_setting_is_the_default_of_the_option() {
    let (place, provider) = (Place::new(), provider(TALK).await);
    let settings = place.folder.path().join("settings");
    std::fs::create_dir_all(&settings).unwrap();
    std::fs::write(settings.join("config.toml"), "fullscreen = true\n").unwrap();
    for (option, variable, is_full) in
        [(None, None, true), (Some("--fullscreen=false"), None, false), (None, Some("false"), false)]
    {
        let mut pty = Pty::with_size(80, 24);
        let mut command = talk(&place, &provider.base_url());
        command.args(option).env("WINDLASS_CONFIG_DIR", &settings);
        if let Some(value) = variable {
            command.env("WINDLASS_FULLSCREEN", value);
        }
        let mut child = pty.start(command);
        wait_for(&pty, 80, "describe a task");
        assert_eq!(pty.screen().contains(ENTER), is_full, "{option:?} {variable:?}");
        pty.keys("\u{4}");
        assert!(pty.end(&mut child).success(), "{}", pty.screen());
    }
    provider.shutdown().await;
}
