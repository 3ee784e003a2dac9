//! The first programs of a user stay short. docs/PROGRAMS.md has the figures.

/// Returns the lines of a program that are not empty and not comments.
fn lines(program: &str) -> Vec<&str> {
    program.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//")).collect()
}

/// Returns the lines of `main`, with its attribute and its end.
fn main_lines(program: &str) -> Vec<&str> {
    let main = lines(program).into_iter().skip_while(|line| *line != "#[tokio::main]");
    let mut has_ended = false;
    main.take_while(|line| !std::mem::replace(&mut has_ended, *line == "}")).collect()
}

/// Returns the first Rust program of a page.
fn first_program(page: &str) -> &str {
    let begin = page.find("```rust").and_then(|at| Some(at + page.get(at..)?.find('\n')? + 1));
    let rest = begin.and_then(|begin| page.get(begin..)).expect("the page has a program");
    rest.split("```").next().expect("a text has a first part")
}

#[track_caller]
fn assert_at_most(lines: &[&str], most: usize) {
    assert!((3..=most).contains(&lines.len()), "{} lines, at most {most}: {lines:#?}", lines.len());
}

#[test]
fn a_first_program_fits_into_six_lines() {
    assert_at_most(&main_lines(include_str!("../../examples/hello.rs")), 6);
    assert_at_most(&main_lines(first_program(include_str!("../../../../README.md"))), 6);
    assert_at_most(&main_lines(first_program(include_str!("../../README.md"))), 6);
}

#[test]
fn tools_with_state_fit_into_thirty_lines() {
    assert_at_most(&lines(include_str!("../../examples/tool_with_state.rs")), 30);
}

#[test]
fn a_chat_and_a_typed_answer_fit_into_ten_lines() {
    assert_at_most(&main_lines(include_str!("../../examples/chat.rs")), 10);
    assert_at_most(&main_lines(include_str!("../../examples/typed_answer.rs")), 10);
}
