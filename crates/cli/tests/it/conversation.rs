//! The conversation on a terminal of its own: edited arguments, rules, pictures (dropped, and in the clipboard), history, colors, Ctrl-Z.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::time::Duration;

use crate::chat::{TALK, run_in_shell, talk, type_line, wait_for};
use crate::program::{Place, provider};
use crate::pty::Pty;

/// Two calls, then the end.
const CALLS: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "run_command", "arguments": {"command": "touch asked"}}}]},
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "docs/a.md", "content": "one\n"}}}]},
    {"steps": [{"text": "All calls have ended."}]}], "fallback": "Nothing more."}"#;

/// The smallest PNG: one pixel.
const PIXEL: [u8; 70] = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0,
    0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63,
    0xf8, 0xcf, 0xc0, 0xf0, 0x1f, 0, 5, 0, 1, 0xff, 0x89, 0x99, 0x3d, 0x1d, 0, 0, 0, 0, 0x49, 0x45, 0x4e,
    0x44, 0xae, 0x42, 0x60, 0x82,
];

/// Writes a program of this name that is a shell script.
fn program(place: &Place, name: &str, script: &str) -> String {
    let path = place.folder.path().join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn settings(place: &Place, command: &mut Command) {
    command.env("WINDLASS_CONFIG_DIR", place.folder.path().join("settings"));
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_edited_and_a_rule_is_made_from_the_card() {
    let (place, provider) = (Place::new(), provider(CALLS).await);
    let mut pty = Pty::with_size(100, 30);
    let mut command = talk(&place, &provider.base_url());
    settings(&place, &mut command);
    // The first edit has a wrong type, the second one is accepted.
    let script = r#"if [ -e "$0.done" ]; then
  echo '{"command": "touch edited"}' > "$1"
else
  : > "$0.done"
  echo '{"command": 1}' > "$1"
fi"#;
    command.env("VISUAL", program(&place, "editor", script));
    let mut child = pty.start(command);
    wait_for(&pty, 100, "describe a task");
    type_line(&mut pty, "run both");
    wait_for(&pty, 100, "e edit the arguments");
    pty.answer("e");
    wait_for(&pty, 100, "does not accept these arguments");
    pty.answer("e");
    wait_for(&pty, 100, "b back to the question");
    wait_for(&pty, 100, "touch edited");
    pty.answer("y");
    wait_for(&pty, 100, "docs/a.md");
    assert!(place.project().join("edited").exists() && !place.project().join("asked").exists());
    wait_for(&pty, 100, "r make a rule");
    pty.answer("r");
    wait_for(&pty, 100, "y write the rule and allow");
    let file = place.folder.path().join("settings/policy.toml");
    assert!(!file.exists(), "a preview writes nothing");
    pty.answer("y");
    wait_for(&pty, 100, "All calls have ended.");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("docs/*.md"), "{text}");
    pty.keys("/policy");
    std::thread::sleep(Duration::from_millis(200));
    pty.keys("\r");
    wait_for(&pty, 100, "rule answer-write_file-1 (yours)");
    wait_for(&pty, 100, "describe a task");
    pty.keys("\u{4}");
    assert!(pty.end(&mut child).success(), "{}", pty.screen());
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_texts_are_found_in_the_next_process_and_keys_are_not() {
    let (place, provider) = (Place::new(), provider(TALK).await);
    let token = format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    for turn in 0..2 {
        let mut pty = Pty::with_size(80, 24);
        let mut child = pty.start(talk(&place, &provider.base_url()));
        wait_for(&pty, 80, "describe a task");
        if turn == 0 {
            type_line(&mut pty, "/cost");
            wait_for(&pty, 80, "cost: unknown");
            type_line(&mut pty, &format!("!echo {token}"));
            wait_for(&pty, 80, "> !echo ghp_");
        } else {
            pty.keys("\u{10}");
            wait_for(&pty, 80, "› /cost");
            pty.keys("\u{15}");
        }
        std::thread::sleep(Duration::from_millis(300));
        pty.keys("\u{4}");
        assert!(pty.end(&mut child).success(), "{}", pty.screen());
    }
    let file = place.folder.path().join("state/message_history.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let stored = std::fs::read_to_string(&file).unwrap();
    assert!(stored.contains("/cost") && !stored.contains(&token), "{stored}");
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_picture_reaches_the_model() {
    let (place, provider) = (Place::new(), provider(TALK).await);
    let picture = place.project().join("my shot.png");
    std::fs::write(&picture, PIXEL).unwrap();
    let mut pty = Pty::with_size(100, 24);
    let mut child = pty.start(talk(&place, &provider.base_url()));
    wait_for(&pty, 100, "describe a task");
    pty.keys(&format!("\u{1b}[200~'{}'\u{1b}[201~", picture.display()));
    wait_for(&pty, 100, "my shot.png\"");
    std::thread::sleep(Duration::from_millis(200));
    type_line(&mut pty, "what is it?");
    wait_for(&pty, 100, "• two");
    let body = provider.requests()[0].body.to_string();
    assert!(body.contains("data:image/png;base64,"), "{body}");
    wait_for(&pty, 100, "with image/png");
    pty.keys("\u{4}");
    assert!(pty.end(&mut child).success());
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_in_the_clipboard_reaches_the_model() {
    let (place, provider) = (Place::new(), provider(TALK).await);
    std::fs::write(place.folder.path().join("clipboard.png"), PIXEL).unwrap();
    program(
        &place,
        "wl-paste",
        r#"[ "$*" = "--no-newline --type image/png" ] && cat "$(dirname "$0")/clipboard.png""#,
    );
    let path = std::env::var("PATH").unwrap_or_default();
    let mut pty = Pty::with_size(100, 24);
    let mut command = talk(&place, &provider.base_url());
    command.env("PATH", format!("{}:{path}", place.folder.path().display()));
    let mut child = pty.start(command);
    wait_for(&pty, 100, "describe a task");
    pty.keys("\u{16}");
    wait_for(&pty, 100, "picture-1.png");
    type_line(&mut pty, "what is it?");
    wait_for(&pty, 100, "• two");
    let body = provider.requests()[0].body.to_string();
    assert!(body.contains("data:image/png;base64,"), "{body}");
    // Without the picture the conversation reports its absence, and the text stays.
    std::fs::write(place.folder.path().join("clipboard.png"), "words").unwrap();
    pty.keys("\u{16}");
    wait_for(&pty, 100, "the clipboard has no picture");
    pty.keys("\u{4}");
    assert!(pty.end(&mut child).success());
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_theme_of_the_settings_is_used() {
    let (place, provider) = (Place::new(), provider(TALK).await);
    std::fs::create_dir(place.folder.path().join("settings")).unwrap();
    for (theme, has_colors) in [("auto", true), ("none", false)] {
        std::fs::write(place.folder.path().join("settings/config.toml"), format!("theme = \"{theme}\"\n"))
            .unwrap();
        let pty = Pty::with_size(80, 24);
        let mut command = talk(&place, &provider.base_url());
        settings(&place, &mut command);
        let mut child = pty.start(command);
        let mut pty = pty;
        wait_for(&pty, 80, "describe a task");
        pty.keys("\u{4}");
        assert!(pty.end(&mut child).success());
        assert_eq!(pty.screen().contains("38;5;"), has_colors, "{theme}: {:?}", pty.screen());
    }
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_suspends_and_continues_the_conversation() {
    let (place, provider) = (Place::new(), provider(TALK).await);
    let mut pty = Pty::with_size(80, 24);
    let program = talk(&place, &provider.base_url());
    let mut child = pty.start(run_in_shell(&place, &program));
    wait_for(&pty, 80, "describe a task");
    type_line(&mut pty, "hello");
    wait_for(&pty, 80, "• two");
    wait_for(&pty, 80, "describe a task");
    pty.keys("draft");
    wait_for(&pty, 80, "› draft");
    let prompts = pty.screen().matches("› ").count();
    pty.keys("\u{1a}");
    pty.wait("stopped", 1);
    // The text stays, and the view is painted again.
    pty.wait("› ", prompts + 1);
    let lines = wait_for(&pty, 80, "› draft");
    assert_eq!(lines.matches("First answer").count(), 1, "{lines}");
    pty.keys("\u{15}");
    std::thread::sleep(Duration::from_millis(200));
    pty.keys("\u{4}");
    assert!(pty.end(&mut child).success(), "{}", pty.screen());
    provider.shutdown().await;
}
