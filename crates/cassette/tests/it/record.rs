//! A recording replays without a network, and any deviation is an error.

use windlass_agent::Outcome;
use windlass_cassette::Player;

use crate::scene::{Change, KEY, SCRIPT, live, played, record, run, wire, wires};

#[tokio::test]
async fn a_recorded_run_happens_again_without_a_network_or_a_tool() {
    let folder = tempfile::tempdir().unwrap();
    for wire in wires() {
        let (file, url) = record(folder.path(), &wire, SCRIPT).await;
        // The provider is gone: nothing listens at its address any more.
        let (player, tool) = (Player::open(&file).unwrap(), Change::new());
        assert_eq!(player.settings()["task"], "task");
        let outcome = run(&url, &wire, played(&player, live(&tool)), "task").await;
        assert_eq!(outcome, Outcome::Completed { text: "done".into() }, "{}", wire.name());
        assert_eq!(player.differences(), [], "{}", wire.name());
        assert_eq!((tool.count(), tool.looks()), (0, 0), "no tool runs or looks in a replay");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(r#""links":2"#), "what was met is recorded: {text}");
    }
}

// SECURITY "secrets": 0 occurrences.
#[tokio::test]
async fn a_cassette_does_not_contain_the_key() {
    let folder = tempfile::tempdir().unwrap();
    for wire in wires() {
        let (file, _) = record(folder.path(), &wire, SCRIPT).await;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        let text = std::fs::read_to_string(file).unwrap();
        assert!(!text.contains(KEY), "{}", wire.name());
        // The tool returned it, and the next requests contained it.
        assert!(text.matches("[redacted]").count() >= 3, "{text}");
        assert!(!text.contains("authorization") && !text.contains("api-key"), "{text}");
    }
}

#[tokio::test]
async fn a_different_request_fails_with_its_first_difference() {
    let folder = tempfile::tempdir().unwrap();
    for wire in wires() {
        let (file, url) = record(folder.path(), &wire, SCRIPT).await;
        let (player, tool) = (Player::open(&file).unwrap(), Change::new());
        let outcome = run(&url, &wire, played(&player, live(&tool)), "another task").await;
        let Outcome::Failed { message } = outcome else { panic!("{outcome:?}") };
        assert!(
            message.contains("the replay differs from its cassette: request 0 differs at body."),
            "{message}"
        );
        assert!(message.contains("recorded \"task\", now \"another task\""), "{message}");
        assert_eq!(player.differences().len(), 1);
    }
}

#[tokio::test]
async fn a_run_that_stops_before_its_recording_is_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let wire = wire();
    let (file, _) = record(folder.path(), &wire, SCRIPT).await;
    let differences = Player::open(&file).unwrap().differences();
    let words: Vec<String> = differences.iter().map(ToString::to_string).collect();
    // Three answers and the refusal before the first.
    assert_eq!(words.iter().filter(|word| word.contains("was never sent")).count(), 4, "{words:?}");
    assert_eq!(words.iter().filter(|word| word.contains("was never made")).count(), 3, "{words:?}");
}

// A cassette whose last line was cut by a crash is played up to there.
#[tokio::test]
async fn a_truncated_cassette_is_replayed_up_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let wire = wire();
    let (file, url) = record(folder.path(), &wire, SCRIPT).await;
    let text = std::fs::read_to_string(&file).unwrap();
    let second = text.match_indices(r#"{"line":"response""#).nth(2).unwrap().0;
    let (player, tool) = (Player::parse(&text[..second + 9]).unwrap(), Change::new());
    let outcome = run(&url, &wire, played(&player, live(&tool)), "task").await;
    let Outcome::Failed { message } = outcome else { panic!("{outcome:?}") };
    assert!(message.contains("the recording ends before this request was answered"), "{message}");
}
