//! Approval cards.

use expect_test::expect;
use proptest::prelude::*;
use serde_json::json;
use windlass_screen::{
    Answer, ApprovalCard, CardChange, CardEffect, CardLimits, CardPath, QueuePosition, RenderedCard,
};

use crate::terminal::{assert_fits, options, text};

fn command() -> ApprovalCard {
    let card = json!({
        "agents": ["reviewer", "tester"],
        "call": "c1",
        "tool": "run_command",
        "arguments": {"command": "cargo test -p 'my crate' && rm -rf build", "timeout_s": 60},
        "rule": "d.ask",
        "source": "builtin",
        "reason": "running a command needs a yes",
        "risk": "high",
        "effects": [
            {"kind": "execute", "target": "cargo test -p 'my crate' && rm -rf build"},
            {"kind": "delete", "target": "build"},
        ],
        "commands": [["cargo", "test", "-p", "my crate"], ["rm", "-rf", "build"]],
        "paths": [{"path": "build", "resolved": "/tmp/elsewhere"}],
        "containment": "B: own namespaces",
        "gaps": ["network"],
        "digest": "d",
        "can_remember": true,
        "scope": "run_command exactly `cargo test -p 'my crate' && rm -rf build` in .",
        "text": "unused",
    });
    serde_json::from_value(card).expect("a card of the feed")
}

fn edit(lines: usize) -> ApprovalCard {
    let mut card = ApprovalCard::default();
    "write_file".clone_into(&mut card.tool);
    "d.write".clone_into(&mut card.rule);
    "writing needs a yes".clone_into(&mut card.reason);
    "medium".clone_into(&mut card.risk);
    card.effects = vec![CardEffect::new("write", "src/a.rs")];
    card.paths = vec![CardPath::new("src/a.rs", "src/a.rs")];
    let content = "line\n".repeat(lines);
    card.arguments = json!({"path": "src/a.rs", "content": content});
    let added = "+line\n".repeat(lines);
    card.changes = vec![CardChange::new(
        "src/a.rs",
        format!("--- /dev/null\n+++ b/src/a.rs\n@@ -0,0 +1,{lines} @@\n{added}"),
    )];
    card.can_remember = true;
    "write_file of src/*.rs".clone_into(&mut card.scope);
    card
}

fn render(card: &ApprovalCard, columns: usize) -> RenderedCard {
    let rendered = card.render(Some(QueuePosition::new(2, 5)), CardLimits::default(), &options(columns));
    assert_fits(&rendered.lines, options(columns));
    rendered
}

#[test]
fn a_command_at_80_columns() {
    expect![[r#"
        ? run_command · asked by reviewer > tester · 2 of 5 · high risk
          running a command needs a yes
          runs     cargo test -p 'my crate'
                   rm -rf build
          effects  execute cargo test -p 'my crate' && rm -rf build
                   delete build
          paths    build → /tmp/elsewhere
          with     timeout_s: 60
          confined B: own namespaces
                   not enforced: network
          a covers: run_command exactly `cargo test -p 'my crate' && rm -rf build` in .
          y yes, once   a yes, for this session   e edit the arguments
          n no, with a comment   l later
    "#]]
    .assert_eq(&text(&render(&command(), 80).lines));
}

#[test]
fn a_command_at_40_columns() {
    expect![[r#"
        ? run_command · asked by reviewer >
          tester · 2 of 5 · high risk
          running a command needs a yes
          runs
            cargo test -p 'my crate'
            rm -rf build
          effects
            execute cargo test -p 'my crate' &&
              rm -rf build
            delete build
          paths
            build → /tmp/elsewhere
          with
            timeout_s: 60
          confined
            B: own namespaces
            not enforced: network
          a covers: run_command exactly `cargo
          test -p 'my crate' && rm -rf build` in
          .
          y yes, once   a yes, for this session
          e edit the arguments
          n no, with a comment   l later
    "#]]
    .assert_eq(&text(&render(&command(), 40).lines));
}

#[test]
fn a_command_at_120_columns() {
    expect![[r#"
        ? run_command · asked by reviewer > tester · 2 of 5 · high risk
          running a command needs a yes
          runs     cargo test -p 'my crate'
                   rm -rf build
          effects  execute cargo test -p 'my crate' && rm -rf build
                   delete build
          paths    build → /tmp/elsewhere
          with     timeout_s: 60
          confined B: own namespaces
                   not enforced: network
          a covers: run_command exactly `cargo test -p 'my crate' && rm -rf build` in .
          y yes, once   a yes, for this session   e edit the arguments   n no, with a comment   l later
    "#]]
    .assert_eq(&text(&render(&command(), 120).lines));
}

#[test]
fn a_small_change_at_80_columns() {
    expect![[r#"
        ? write_file · 2 of 5 · medium risk
          writing needs a yes
          effects  write src/a.rs
          changes  src/a.rs (+2 -0)
                   1 + line
                   2 + line
          a covers: write_file of src/*.rs
          y yes, once   a yes, for this session   e edit the arguments
          n no, with a comment   l later
    "#]]
    .assert_eq(&text(&render(&edit(2), 80).lines));
}

#[test]
fn a_card_that_hides_something_cannot_be_remembered() {
    let card = render(&edit(300), 80);
    assert!(!card.shows_all);
    assert_eq!(card.answers, [Answer::Once, Answer::Edit, Answer::No, Answer::Later, Answer::Details]);
    expect![[r#"
        ? write_file · 2 of 5 · medium risk
          writing needs a yes
          effects  write src/a.rs
          changes  src/a.rs (+300 -0)
                    1 + line
                    2 + line
                    3 + line
                    4 + line
                    5 + line
                    6 + line
                    7 + line
                    8 + line
                    9 + line
                   10 + line
                   11 + line
                   12 + line
                   13 + line
                   14 + line
                   15 + line
                   … 285 more lines
          Not everything is displayed, so the answer cannot be remembered.
          y yes, once   e edit the arguments   n no, with a comment   l later
          d show everything
    "#]]
    .assert_eq(&text(&card.lines));

    let whole = edit(300).render(None, CardLimits::with_all(), &options(80));
    assert!(whole.shows_all && whole.answers.contains(&Answer::Session) && whole.lines.len() > 300);
    assert!(!whole.answers.contains(&Answer::Details));

    let folded = edit(300).render(None, CardLimits::default().with_whole_copy(), &options(80));
    assert_eq!((folded.shows_all, &folded.answers), (false, &whole.answers));
    let words = text(&folded.lines);
    assert!(words.contains("285 more lines") && words.contains("a covers:"), "{words}");
    assert!(!words.contains("Not everything") && words.contains("a yes, for this session"), "{words}");
}

#[test]
fn offered_answers_are_kept_in_their_order() {
    let mut card = command();
    card.answers = vec![Answer::No, Answer::Rule, Answer::Once];
    assert_eq!(render(&card, 80).answers, [Answer::No, Answer::Rule, Answer::Once]);
    card.can_remember = false;
    assert_eq!(render(&card, 80).answers, [Answer::No, Answer::Once]);
}

#[test]
fn hidden_and_mixed_characters_are_announced() {
    let mut card = ApprovalCard::default();
    "run_command".clone_into(&mut card.tool);
    card.commands =
        vec![vec!["cat".to_owned(), "p\u{430}ypal".to_owned(), "a\u{200b}b \u{202e}txt\n\\u{41}".to_owned()]];
    expect![[r#"
        ? run_command · 2 of 5
          runs     cat pаypal 'a\u{200b}b \u{202e}txt\n\\u{41}'
          ! It has invisible characters, which are displayed as escapes.
          ! pаypal mixes letters of several scripts: p\u{430}ypal
          Such a call is asked each time, so the answer counts once.
          y yes, once   e edit the arguments   n no, with a comment   l later
    "#]]
    .assert_eq(&text(&render(&card, 80).lines));
}

#[test]
fn every_argument_is_displayed_once() {
    let mut card = ApprovalCard::default();
    "fetch".clone_into(&mut card.tool);
    card.arguments =
        json!({"url": "https://a.example", "body": "one\ntwo", "retries": 3, "headers": {"a": "b"}});
    card.effects = vec![CardEffect::new("connect", "https://a.example")];
    let shown = text(&render(&card, 80).lines);
    for part in ["https://a.example", "one", "two", "retries: 3", r#"headers: {"a":"b"}"#] {
        assert_eq!(shown.matches(part).count(), 1, "{part}: {shown}");
    }
}

#[test]
fn a_deleted_folder_is_named_with_its_content() {
    let mut card = command();
    card.effects = vec![CardEffect::new("execute", "rm -rf build"), CardEffect::new("delete_tree", "build")];
    let words = text(&render(&card, 80).lines);
    assert!(words.contains("delete build with everything below it"), "{words}");
    card.effects = vec![CardEffect::new("delete", "build")];
    assert!(!text(&render(&card, 80).lines).contains("everything below"));
}

/// A replacement of one word.
fn replacement() -> ApprovalCard {
    let mut card = edit(1);
    "edit_file".clone_into(&mut card.tool);
    card.arguments =
        json!({"path": "src/a.rs", "old_text": "first", "new_text": "second", "replace_all": true});
    let diff = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-the first word\n+the second word\n";
    card.changes = vec![CardChange::new("src/a.rs", diff)];
    card
}

#[test]
fn the_texts_of_an_edit_are_displayed_on_request() {
    let rendered = render(&replacement(), 80);
    let words = text(&rendered.lines);
    assert!(!words.contains("old_text") && !words.contains("new_text"), "{words}");
    assert!(words.contains("the first word") && words.contains("replace_all: true"), "{words}");
    assert!(rendered.shows_all && rendered.answers.contains(&Answer::Session), "the diff displays the texts");
    assert!(rendered.answers.contains(&Answer::Details));
    let whole = replacement().render(None, CardLimits::with_all(), &options(80));
    let words = text(&whole.lines);
    assert!(words.contains("old_text: first") && words.contains("new_text: second"), "{words}");
    assert!(!whole.answers.contains(&Answer::Details));
    // A text that no diff contains is displayed.
    let mut other = replacement();
    other.arguments = json!({"path": "src/a.rs", "old_text": "first", "new_text": "third", "mode": "the"});
    let words = text(&render(&other, 80).lines);
    assert!(words.contains("new_text: third") && words.contains("mode: the"), "{words}");
}

/// A command of several lines.
fn here_document(command: &str) -> ApprovalCard {
    let mut card = ApprovalCard::default();
    "run_command".clone_into(&mut card.tool);
    card.effects = vec![CardEffect::new("execute", command)];
    card.arguments = json!({"command": command});
    "p.whole_text".clone_into(&mut card.rule);
    card.can_remember = true;
    "run exactly this command of 3 lines and 23 bytes in the workspace's own folder"
        .clone_into(&mut card.scope);
    card.answers = vec![Answer::Once, Answer::Session, Answer::Rule, Answer::No];
    card
}

#[test]
fn a_command_of_several_lines_is_displayed_line_by_line() {
    let rendered = render(&here_document("cat > a.txt <<'E'\none \\n\nE"), 80);
    let words = text(&rendered.lines);
    for row in ["execute 3 lines", "│ cat > a.txt <<'E'", r"│ one \\n", "│ E"] {
        assert!(words.contains(row), "{row}: {words}");
    }
    assert_eq!(rendered.answers, [Answer::Once, Answer::Session, Answer::No], "no rule can allow it");
    // A line break and the wrap of a long line differ.
    let long = "x".repeat(67);
    let broken = text(&render(&here_document(&format!("{long}\n  y\nE")), 80).lines);
    let wrapped = text(&render(&here_document(&format!("{long}  y\nE\n")), 80).lines);
    assert!(broken.contains("│   y") && !wrapped.contains("│   y"), "{broken}\n{wrapped}");
}

#[test]
fn keys_differ() {
    for answer in Answer::ALL {
        assert_eq!(Answer::from_key(answer.key()), Some(answer));
    }
}

proptest! {
    #[test]
    fn any_card_fits(words in prop::collection::vec("\\PC{0,30}", 8), text in any::<String>(), columns in 20_usize..120) {
        let mut card = ApprovalCard::default();
        card.agents = vec![words[0].clone(), text.clone()];
        card.tool.clone_from(&words[1]);
        card.reason.clone_from(&text);
        card.rule.clone_from(&words[2]);
        card.risk.clone_from(&words[3]);
        card.effects = vec![CardEffect::new(words[4].clone(), text.clone())];
        card.commands = vec![words.clone()];
        card.paths = vec![CardPath::new(text.clone(), words[5].clone())];
        card.changes = vec![CardChange::new(words[6].clone(), format!("@@ -1 +1 @@\n-{text}\n+{text}"))];
        card.arguments = json!({&words[7]: text, "b": [text]});
        card.containment = Some(text.clone());
        card.gaps = vec![text.clone()];
        card.can_remember = true;
        card.scope.clone_from(&text);
        render(&card, columns);
    }
}

fn render_lines(command: &str, columns: usize) -> String {
    text(&here_document(command).render(None, CardLimits::with_all(), &options(columns)).lines)
}

fn render_command(command: &str) -> String {
    let mut card = ApprovalCard::default();
    "run_command".clone_into(&mut card.tool);
    card.effects = vec![CardEffect::new("execute", command)];
    card.commands = vec![vec!["sh".to_owned(), command.to_owned()]];
    card.arguments = json!({"command": command});
    card.can_remember = true;
    card.scope = format!("run exactly `{command}` in the workspace's own folder");
    text(&card.render(None, CardLimits::with_all(), &options(300)).lines)
}

// H14
#[test]
fn a_line_break_in_a_command_differs_from_a_backslash_and_an_n() {
    let (breaks, comment) =
        (render_command("echo tidy # \ntouch x"), render_command(r"echo tidy # \ntouch x"));
    for start in ["effects  execute ", "runs     sh '", "covers: run exactly `"] {
        assert!(breaks.contains(&format!(r"{start}echo tidy # \ntouch x")), "{breaks}");
        assert!(comment.contains(&format!(r"{start}echo tidy # \\ntouch x")), "{comment}");
    }
}

proptest! {
    // H14
    #[test]
    fn different_commands_have_different_cards(
        one in "[\\\\nt\n\t⏎#a]{1,6}",
        other in "[\\\\nt\n\t⏎#a]{1,6}",
    ) {
        prop_assume!(one != other);
        prop_assert_ne!(render_command(&format!("echo {one}.")), render_command(&format!("echo {other}.")));
    }

    // H14: also if the lines are wrapped.
    #[test]
    fn different_texts_have_different_cards(
        one in "[\\\\n\n #a]{1,24}",
        other in "[\\\\n\n #a]{1,24}",
        columns in 20_usize..40,
    ) {
        // A blank at the end of a row leaves no mark.
        prop_assume!(one != other && !one.contains(" \n") && !other.contains(" \n"));
        let card = |text: &str| render_lines(&format!("echo\n{text}."), columns);
        prop_assert_ne!(card(&one), card(&other));
    }
}
