//! The conversation on terminals of several kinds and sizes: storms of sizes, colors, and pastes into a question.

use std::process::Child;
use std::time::Duration;

use crate::chat::{history, talk, type_line, wait_for};
use crate::program::{Place, provider};
use crate::pty::Pty;

const RUN: &str = r#"{"turns": [{"steps": [{"call": {"name": "run_command", "arguments": {"command": "touch made"}}}]},
    {"steps": [{"text": "The command has ended."}]}]}"#;

/// The constant size of the emulator. The program is told smaller sizes, so its lines are shorter.
const COLUMNS: u16 = 200;

fn end(pty: &mut Pty, child: &mut Child) {
    std::thread::sleep(Duration::from_millis(200));
    pty.keys("\u{4}");
    assert!(pty.end(child).success(), "{}", pty.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_sizes_during_a_stream_repeats_no_line() {
    let items = (0..80).fold(String::new(), |text, at| text + &format!("- item {at:03} 日本語 👩 words\\n"));
    let script =
        format!(r#"{{"turns": [{{"steps": [{{"text": "{items}"}}], "piece": 10, "delay_ms": 5}}]}}"#);
    let (place, provider) = (Place::new(), provider(&script).await);
    let mut pty = Pty::with_size(COLUMNS, 24);
    let mut child = pty.start(talk(&place, &provider.base_url()));
    wait_for(&pty, COLUMNS, "describe a task");
    type_line(&mut pty, "list");
    for step in 0..200_u16 {
        pty.resize(&child, 40 + step * 37 % 160, 12 + step * 7 % 13);
        std::thread::sleep(Duration::from_millis(7));
    }
    wait_for(&pty, COLUMNS, "item 079");
    wait_for(&pty, COLUMNS, "describe a task");
    let lines = history(&pty, COLUMNS).join("\n");
    let mut last = 0;
    for at in 0..80 {
        let words = format!("item {at:03}");
        assert_eq!(lines.matches(&words).count(), 1, "{words} in\n{lines}");
        let place = lines.find(&words).unwrap();
        assert!(place >= last, "{words} is out of order in\n{lines}");
        last = place;
    }
    assert_eq!(lines.matches("scripted-1").count(), 1, "{lines}");
    end(&mut pty, &mut child);
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_environment_decides_the_colors() {
    for (term, color_term, codes, others) in [
        ("xterm", "", "\u{1b}[0;90m", "38;"),
        ("xterm-256color", "", "38;5;", "38;2;"),
        ("xterm-256color", "truecolor", "38;2;", "38;5;"),
    ] {
        let (place, provider) = (Place::new(), provider(RUN).await);
        let mut pty = Pty::with_size(80, 24);
        let mut command = talk(&place, &provider.base_url());
        command.env("TERM", term).env("COLORTERM", color_term);
        let mut child = pty.start(command);
        wait_for(&pty, 80, "describe a task");
        type_line(&mut pty, "run it");
        wait_for(&pty, 80, "y yes, once");
        let bytes = pty.screen();
        assert!(bytes.contains(codes) && !bytes.contains(others), "{term} {color_term}: {bytes}");
        end(&mut pty, &mut child);
        provider.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pastes_and_focus_reports_do_not_answer_a_question() {
    let (place, provider) = (Place::new(), provider(RUN).await);
    let mut pty = Pty::with_size(80, 24);
    let mut child = pty.start(talk(&place, &provider.base_url()));
    wait_for(&pty, 80, "describe a task");
    type_line(&mut pty, "run it");
    wait_for(&pty, 80, "press a key of the question");
    for keys in [
        "\u{1b}[200~y\u{1b}[201~",
        "\u{1b}[200~y\ny\n\u{1b}[201~",
        // A paste that contains the end of a paste.
        "\u{1b}[200~no\u{1b}[201~y\u{1b}[201~",
        "\u{1b}[I",
        "\u{1b}[O\u{1b}[Iy",
        "yes\n",
        "\u{1b}[<0;10;10My",
    ] {
        pty.keys(keys);
        std::thread::sleep(Duration::from_millis(800));
        // Removes the pasted text.
        pty.keys("\u{15}\u{15}\u{15}");
        std::thread::sleep(Duration::from_secs(1));
        assert!(!place.project().join("made").exists(), "{keys:?} answered");
    }
    pty.keys("\u{3}");
    wait_for(&pty, 80, "press a key of the question");
    std::thread::sleep(Duration::from_secs(1));
    pty.keys("y");
    wait_for(&pty, 80, "The command has ended.");
    assert!(place.project().join("made").exists());
    end(&mut pty, &mut child);
    provider.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_terminals_background_chooses_the_colors_and_its_report_is_not_typed() {
    let reports = [
        ("\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\", Duration::ZERO),
        ("\u{1b}]11;rgb:fdfd/f6f6/e3e3\u{7}", Duration::ZERO),
        // A connection that is slower than the first frame.
        ("\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\", Duration::from_millis(700)),
    ];
    for (report, delay) in reports {
        let (place, provider) = (Place::new(), provider(RUN).await);
        let mut pty = Pty::with_size(80, 24);
        let mut child = pty.start(talk(&place, &provider.base_url()));
        pty.wait("\u{1b}]11;?", 1);
        std::thread::sleep(delay);
        pty.keys(&format!("ru{report}n it"));
        let screen = wait_for(&pty, 80, "run it");
        assert!(!screen.contains("11;") && !screen.contains("rgb"), "{screen}");
        type_line(&mut pty, "");
        wait_for(&pty, 80, "y yes, once");
        // The gray of light backgrounds, in the newest frames.
        assert!(pty.screen().contains("38;5;242"), "{}", pty.screen());
        pty.answer("n");
        pty.answer("\r");
        wait_for(&pty, 80, "The command has ended");
        end(&mut pty, &mut child);
        provider.shutdown().await;
    }
    // The user's choice needs no question, and terminals with the user's own colors do not either.
    for (term, theme) in [("xterm", "auto"), ("linux", "auto"), ("xterm-256color", "light")] {
        let (place, provider) = (Place::new(), provider(RUN).await);
        let settings = place.folder.path().join("settings");
        std::fs::create_dir_all(&settings).unwrap();
        std::fs::write(settings.join("config.toml"), format!("theme = \"{theme}\"\n")).unwrap();
        let mut pty = Pty::with_size(80, 24);
        let mut command = talk(&place, &provider.base_url());
        command.env("TERM", term).env("WINDLASS_CONFIG_DIR", settings);
        let mut child = pty.start(command);
        wait_for(&pty, 80, "describe a task");
        assert!(!pty.screen().contains("\u{1b}]11;?"), "{term} {theme}");
        end(&mut pty, &mut child);
        provider.shutdown().await;
    }
}
