//! The work of each renderer grows with the length of the text.

use windlass_screen::{
    ApprovalCard, CallView, CardEffect, CardLimits, CardPath, DiffLimits, Language, MarkdownStream,
    escape_text, highlight, render_diff, render_text,
};
use windlass_screen::{Role, render_markdown};
use windlass_testkit::growth::{self, Shape};

use crate::terminal::options;

/// Rendering takes about a microsecond for each byte without optimization.
const BYTES: usize = 256 * 1024;

fn shapes() -> Vec<Shape> {
    [
        "a",
        "a ",
        "\n",
        "a\n",
        "\n\n",
        "- a\n",
        "1. a\n\n",
        "> ",
        "> a\n",
        "#",
        "# a\n",
        "```\n",
        "    a\n",
        "`",
        "``a",
        "*",
        "**a",
        "*a_",
        "[",
        "[a](",
        "![",
        "|",
        "|a|b\n",
        "<",
        "<!--",
        "<a",
        "&",
        "\\",
        "日本",
        "e\u{301}",
        "\u{1b}",
        "\t",
        "[a{n}]: b\n",
        "  - a\n",
        "~",
    ]
    .map(Shape::repeat)
    .into_iter()
    .chain([
        Shape::new("- a\n", "  b\n", ""),
        Shape::new("|a|b|\n|-|-|\n", "|c|d|\n", ""),
        Shape::new("```rust\n", "fn f() { /* \"a\" */ }\n", "```\n"),
        Shape::new("```rust\n", "{", ""),
        Shape::new("```rust\n", "/*", ""),
        Shape::new("```bash\n", "$(", ""),
    ])
    .collect()
}

#[test]
fn markdown_is_rendered_in_linear_time() {
    growth::check("growth::markdown_is_rendered_in_linear_time", BYTES, &shapes(), |text| {
        let _ = render_markdown(text, &options(80));
    });
}

#[test]
fn markdown_streams_in_linear_time() {
    // The tail has a limit, so its work for each frame is constant.
    growth::check("growth::markdown_streams_in_linear_time", BYTES / 2, &shapes(), |text| {
        let mut stream = MarkdownStream::new(&options(80));
        let characters: Vec<char> = text.chars().collect();
        for (number, piece) in characters.chunks(16).enumerate() {
            stream.push(&piece.iter().collect::<String>());
            if number % 1024 == 1023 {
                let _ = stream.tail();
            }
        }
        let _ = stream.finish();
    });
}

#[test]
fn texts_are_wrapped_in_linear_time() {
    growth::check("growth::texts_are_wrapped_in_linear_time", BYTES, &shapes(), |text| {
        let _ = (escape_text(text), render_text(text, Role::Words, &options(80)));
    });
}

#[test]
fn code_is_highlighted_in_linear_time() {
    let shapes =
        ["fn f() { let a = \"b\"; }\n", "{\n", "\"\n", "/*\n", "a::b::<c>(\n", "#[a]\n"].map(Shape::repeat);
    growth::check("growth::code_is_highlighted_in_linear_time", BYTES / 2, &shapes, |text| {
        let _ = highlight(text, Some(Language::Rust), &options(80));
    });
}

#[test]
fn diffs_are_rendered_in_linear_time() {
    let shapes = [
        Shape::repeat("@@ -1 +1 @@\n-a b c\n+a b d\n"),
        Shape::new("@@ -1,999999 +1,999999 @@\n", "-a b c\n", ""),
        Shape::new("@@ -1,999999 +1,999999 @@\n", "-a b c\n+a b d\n", ""),
        Shape::new("@@ -1,999999 +1,999999 @@\n-", "a ", "\n+b\n"),
        Shape::repeat("--- a\n+++ b\n"),
    ];
    growth::check("growth::diffs_are_rendered_in_linear_time", BYTES, &shapes, |text| {
        let _ = render_diff(text, DiffLimits::default().with_lines(usize::MAX), &options(80));
    });
}

#[test]
fn calls_stream_in_linear_time() {
    let shapes = [
        Shape::new(r#"{"path":"a.rs","content":""#, r"fn f() {}\n", r#""}"#),
        Shape::new("{\"a\":0", r#","k{n}":1"#, "}"),
        Shape::new("*** Begin Patch\n", "+a\n", ""),
        Shape::repeat("["),
    ];
    growth::check("growth::calls_stream_in_linear_time", BYTES, &shapes, |text| {
        let mut call = CallView::new("write_file");
        for (number, piece) in text.as_bytes().chunks(64).enumerate() {
            let piece = str::from_utf8(piece).unwrap_or_default();
            call.push_arguments(piece);
            call.push_output(piece);
            if number % 1024 == 0 {
                let _ = call.render_live(20, None, &options(80));
            }
        }
        let _ = call.render(None, &options(80));
    });
}

#[test]
fn cards_are_rendered_in_linear_time() {
    let shapes = [Shape::repeat("path/{n}\n"), Shape::new("", "a/{n}\u{200b}", "\n")];
    growth::check("growth::cards_are_rendered_in_linear_time", BYTES / 4, &shapes, |text| {
        let mut card = ApprovalCard::default();
        card.effects = text.lines().map(|line| CardEffect::new("write", line)).collect();
        card.paths = text.lines().map(|line| CardPath::new(line, "elsewhere")).collect();
        card.commands = vec![text.lines().map(str::to_owned).collect()];
        card.arguments = text.lines().map(|line| (line.to_owned(), serde_json::Value::from(line))).collect();
        for limits in [CardLimits::default(), CardLimits::with_all()] {
            let _ = card.render(None, limits, &options(80));
        }
    });
}
