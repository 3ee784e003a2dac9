//! Tests of the lines of the picture.

use super::{
    COLUMNS, Line, MAX_LINES, Section, SectionEnd, expand_tabs, picture_lines, replace_varying, select, wrap,
};

const RUN: &str = "\
The project: /tmp/windlass-demo-7emZZb
The provider: http://127.0.0.1:39481 (openai-chat)
The task: Mend it.

── turn 1
→ read_file
── turn 3
→ edit_file
    -\told < 1
    +\tnew > 1
← edit_file: ok
    [exit code 0; sandbox: ns+landlock+seccomp]
── turn 4
→ run_command
✓ The check passes.

What changed:
nothing

Decisions:
  edit_file: ask by rule d.ask
    approved

Tokens: 8050 in, 308 out. Time: 1451 ms.
Journal: /var/state/windlass/runs/1795371363-1a1869d0/journal
The check, run once more from outside: passes";

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn text(lines: &[Line]) -> String {
    let show = |line: &Line| match line {
        Line::Text(text) => text.clone(),
        Line::Gap(count) => format!("[gap {count}]"),
    };
    lines.iter().map(show).collect::<Vec<_>>().join("\n")
}

fn refusal(run: &str) -> String {
    picture_lines(&lines(run)).unwrap_err().to_string()
}

#[test]
fn the_picture_has_its_sections_and_a_gap_between_them() {
    let expected = "\
The project: …
The provider: http://127.0.0.1:… (openai-chat)
The task: Mend it.
[gap 3]
── turn 3
→ edit_file
    -   old < 1
    +   new > 1
← edit_file: ok
    [exit code 0; sandbox: …]
[gap 2]
✓ The check passes.
[gap 4]
Decisions:
  edit_file: ask by rule d.ask
    approved

Tokens: 8050 in, 308 out. Time: … ms.
Journal: …
The check, run once more from outside: passes";
    assert_eq!(text(&picture_lines(&lines(RUN)).unwrap()), expected);
}

#[test]
fn runs_on_two_machines_give_the_same_lines() {
    let other = RUN
        .replace("/tmp/windlass-demo-7emZZb", "/var/folders/a b/windlass-demo-AAAAAA")
        .replace("39481", "1025")
        .replace("1451 ms", "9 ms")
        .replace("/var/state", "/tmp/state")
        .replace("1795371363-1a1869d0", "1895371363-00000000")
        .replace("ns+landlock+seccomp", "bwrap");
    assert_ne!(other, RUN);
    assert_eq!(picture_lines(&lines(&other)).unwrap(), picture_lines(&lines(RUN)).unwrap());
}

#[test]
fn only_varying_values_are_replaced() {
    let same = "Tokens: 8050 in, 308 out.\n    check failed: the total is -50\nsays The project: x";
    assert_eq!(replace_varying(&lines(same)).unwrap(), lines(same));
}

#[test]
fn a_run_without_a_marker_is_refused_by_name() {
    assert!(refusal(&RUN.replace("✓ The", "The")).contains("begins with `✓`"));
    assert!(refusal(&RUN.replace("── turn 4", "── turn 5")).contains("begins with `── turn 4`"));
    assert!(refusal("The project: x\nThe task: y").contains("without text"));
}

#[test]
fn sections_are_found_in_their_order_only() {
    let sections =
        [Section { from: "b", end: SectionEnd::Next }, Section { from: "a", end: SectionEnd::Next }];
    assert!(select(&lines("a\nb\nc"), &sections).is_err());
    assert_eq!(text(&select(&lines("b\na"), &sections).unwrap()), "b\n\na");
    assert_eq!(text(&select(&lines("b\n\na"), &sections).unwrap()), "b\n\na");
    assert_eq!(text(&select(&lines("b\nx\na"), &sections).unwrap()), "b\n[gap 1]\na");
}

#[test]
fn colours_and_missing_confinement_are_refused() {
    assert!(refusal(&RUN.replace("approved", "\u{1b}[32mapproved\u{1b}[0m")).contains("control characters"));
    assert!(refusal(&RUN.replace("ns+landlock+seccomp", "none")).contains("confine"));
}

#[test]
fn a_selection_that_is_too_long_is_refused() {
    let long = |count| RUN.replace("    approved\n", &"    approved\n".repeat(count));
    let room = MAX_LINES + 1 - picture_lines(&lines(RUN)).unwrap().len();
    assert_eq!(picture_lines(&lines(&long(room))).unwrap().len(), MAX_LINES);
    assert!(refusal(&long(room + 1)).contains("46 lines"));
}

#[test]
fn long_lines_are_wrapped_at_the_width_of_the_terminal() {
    let line = "…".repeat(COLUMNS);
    assert_eq!(wrap(&line).join("|"), line);
    assert_eq!(wrap(&format!("{line}ab")).join("|"), format!("{line}|ab"));
    assert_eq!(wrap(""), [""]);
}

#[test]
fn tabs_end_at_their_stops() {
    assert_eq!(expand_tabs("\ta\tb"), "        a       b");
    assert_eq!(expand_tabs("1234567\tx"), "1234567 x");
    assert_eq!(expand_tabs("12345678\tx"), "12345678        x");
}
