//! `windlass policy learned`: the state between runs, and a file that cannot be trusted (H9).

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::program::{Place, provider, text};

/// The file in which lessons of the place's project are kept.
fn file(place: &Place) -> PathBuf {
    let folder = place.folder.path().join("state/learned");
    std::fs::create_dir_all(&folder).unwrap();
    let root = place.project().canonicalize().unwrap();
    let name: String = root
        .to_string_lossy()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    folder.join(format!("{name}.json"))
}

fn write(place: &Place, content: &str, mode: u32) {
    let file = file(place);
    std::fs::write(&file, content).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn nothing_is_learned_at_first() {
    let place = Place::new();
    let listed = place.run(&["policy", "learned"]);
    assert!(listed.status.success());
    assert!(text(&listed.stderr).contains("nothing has been learned here yet"));
    let unknown = place.run(&["policy", "learned", "--revoke", "nope"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stderr).contains("lesson nope does not exist"));
}

#[test]
fn a_corrupt_file_is_set_aside_and_reported() {
    for (content, mode, words) in [
        ("{", 0o600, "the stored learned approvals cannot be read"),
        (r#"{"version":9,"epoch":"","lessons":{}}"#, 0o600, "have version 9"),
    ] {
        let place = Place::new();
        write(&place, content, mode);
        let listed = place.run(&["policy", "learned"]);
        assert!(listed.status.success());
        let told = text(&listed.stderr);
        assert!(told.contains(words) && told.contains("learning starts again without it"), "{told}");
        let folder = file(&place).parent().unwrap().to_owned();
        let kept: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(kept.len(), 1);
        assert!(kept[0].to_string_lossy().contains("corrupt-"), "{kept:?}");
        assert_eq!(std::fs::read_to_string(&kept[0]).unwrap(), content);
    }
}

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "docs/made.md", "content": "by a script"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "it is written"}}}]}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn after_three_approvals_the_fourth_run_does_not_ask_until_revoked() {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let url = provider.base_url();
    let told = std::cell::RefCell::new(String::new());
    let run_with = |more: &[&str], answer: &str| {
        drop(std::fs::remove_dir_all(place.project().join("docs")));
        let ended = place.run_with_input(
            &[&["run", "task", "--base-url", &url, "--model", "m", "--ask"], more].concat(),
            answer,
        );
        assert!(ended.status.success(), "{}{}", text(&ended.stdout), text(&ended.stderr));
        told.borrow_mut().push_str(&text(&ended.stderr));
        (place.project().join("docs/made.md").exists(), text(&ended.stderr).contains("May it run?"))
    };
    let run = |answer: &str| run_with(&["--learn"], answer);
    // command-line A5: without the switch nothing is learned, however often a person approved.
    for _ in 0..4 {
        assert_eq!(run_with(&[], "y\n"), (true, true));
    }
    assert!(!told.borrow().contains("learned"), "{}", told.borrow());
    for _ in 0..2 {
        assert_eq!(run("y\n"), (true, true));
    }
    assert!(!told.borrow().contains("learned"), "{}", told.borrow());
    assert_eq!(run("y\n"), (true, true));
    assert!(
        told.borrow().contains(
            "learned to write files that end in .md in docs/ with write_file: it runs without a question"
        ),
        "{}",
        told.borrow()
    );
    assert_eq!(run_with(&[], "y\n"), (true, true), "a lesson counts only where learning is on");
    assert_eq!(run(""), (true, false), "nobody is asked");
    let listed = place.run(&["policy", "learned"]);
    assert!(text(&listed.stderr).contains("learning is off"), "{}", text(&listed.stderr));
    let listed = text(&listed.stdout);
    assert!(
        listed.contains(
            "write files that end in .md in docs/ with write_file: 3 of 3 approved; runs without a question"
        ),
        "{listed}"
    );
    let id = listed.split_whitespace().next().unwrap();
    assert!(place.run(&["policy", "learned", "--revoke", id]).status.success());
    assert_eq!(run("n\n"), (false, true));
    provider.shutdown().await;
}
