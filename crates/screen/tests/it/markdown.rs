//! Markdown: snapshots, and the properties of streaming.

use expect_test::expect;
use proptest::prelude::*;
use ratatui_core::text::Line;
use windlass_screen::{MarkdownStream, RenderOptions, Role, render_markdown};

use crate::terminal::{assert_fits, options, text};

const DOCUMENT: &str = "# The plan\n\
A paragraph with *emphasis*, **strong words**, `code`, ~~old~~ and a [link](https://example.org/a/b), long enough \
to be wrapped.\nIts second line.\n\n## Steps\n1. Read the file:\n   - all of it\n   - and its tests\n2. Change it\n\n   \
A second paragraph.\n3. Test\n\nThen:\n\n```rust\nfn main() {\n\tprintln!(\"日本\");\n}\n```\n> A quote of\n> two lines.\n\n\
| name | size | note |\n|:--|--:|---|\n| a.rs | 12 | short |\n| longer/name.rs | 1400 | a note that needs more room than \
others |\n\n- [x] done\n- [ ] open\n\n---\nThe end: <https://example.org>.\n";

#[test]
fn a_document_at_80_columns() {
    expect![[r#"
        The plan

        A paragraph with emphasis, strong words, code, old and a link
        (https://example.org/a/b), long enough to be wrapped. Its second line.

        Steps

        1. Read the file:
           • all of it
           • and its tests
        2. Change it

           A second paragraph.
        3. Test

        Then:

        rust
          fn main() {
              println!("日本");
          }

        │ A quote of two lines.

        name            size  note
        ──────────────  ────  ───────────────────────────────────────
        a.rs              12  short
        longer/name.rs  1400  a note that needs more room than others

        • [x] done
        • [ ] open

        ────────────────────────────────────────

        The end: https://example.org.
    "#]]
    .assert_eq(&text(&render_markdown(DOCUMENT, &options(80))));
}

#[test]
fn a_document_at_40_columns() {
    expect![[r#"
        The plan

        A paragraph with emphasis, strong words,
        code, old and a link
        (https://example.org/a/b), long enough
        to be wrapped. Its second line.

        Steps

        1. Read the file:
           • all of it
           • and its tests
        2. Change it

           A second paragraph.
        3. Test

        Then:

        rust
          fn main() {
              println!("日本");
          }

        │ A quote of two lines.

        name            size  note
        ──────────────  ────  ──────────────────
        a.rs              12  short
        longer/name.rs  1400  a note that needs
                              more room than
                              others

        • [x] done
        • [ ] open

        ────────────────────────────────────────

        The end: https://example.org.
    "#]]
    .assert_eq(&text(&render_markdown(DOCUMENT, &options(40))));
}

#[test]
fn a_document_at_120_columns() {
    expect![[r#"
        The plan

        A paragraph with emphasis, strong words, code, old and a link (https://example.org/a/b), long enough to be wrapped. Its
        second line.

        Steps

        1. Read the file:
           • all of it
           • and its tests
        2. Change it

           A second paragraph.
        3. Test

        Then:

        rust
          fn main() {
              println!("日本");
          }

        │ A quote of two lines.

        name            size  note
        ──────────────  ────  ───────────────────────────────────────
        a.rs              12  short
        longer/name.rs  1400  a note that needs more room than others

        • [x] done
        • [ ] open

        ────────────────────────────────────────

        The end: https://example.org.
    "#]].assert_eq(&text(&render_markdown(DOCUMENT, &options(120))));
}

#[test]
fn a_table_that_does_not_fit_becomes_records() {
    let table = "|first name|second name|third|fourth|\n|-|-|-|-|\n|a|b|c|d|\n|e|f|g|h|\n";
    expect![[r#"
        first name: a
        second name: b
        third: c
        fourth: d
        ────────
        first name: e
        second name: f
        third: g
        fourth: h
    "#]]
    .assert_eq(&text(&render_markdown(table, &options(20))));
}

#[test]
fn the_address_of_a_link_is_always_displayed() {
    for source in ["[https://good.example](https://evil.example)", "![x](https://evil.example)"] {
        let shown = text(&render_markdown(source, &options(80)));
        assert!(shown.contains("(https://evil.example)"), "{shown}");
    }
    assert_eq!(text(&render_markdown("<https://a.example>", &options(80))), "https://a.example\n");
}

#[test]
fn unsafe_characters_are_escaped_everywhere() {
    let unsafe_text = "a\u{1b}[31mb\u{202e}c";
    let sources = [
        unsafe_text.to_owned(),
        format!("# {unsafe_text}"),
        format!("`{unsafe_text}`"),
        format!("```{unsafe_text}\n{unsafe_text}\n```"),
        format!("[x](http://a/{unsafe_text})"),
        format!("<b {unsafe_text}>"),
        format!("|{unsafe_text}|\n|-|\n|{unsafe_text}|"),
        format!("    {unsafe_text}"),
        format!("[a]: {unsafe_text}"),
        "&#27;[31m &#x202e;".to_owned(),
    ];
    for source in sources {
        let lines = render_markdown(&source, &options(80));
        assert_fits(&lines, options(80));
        let shown = text(&lines);
        assert!(!shown.contains('\u{202e}') && shown.contains("\\u{"), "{source:?}: {shown:?}");
    }
}

#[test]
fn no_block_is_lost() {
    let source = "[a]: https://a.example\n\n<!-- note -->\n\n<div>\nhtml\n</div>\n\ntext\n";
    let shown = text(&render_markdown(source, &options(60)));
    for part in ["https://a.example", "note", "html", "text"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn numbers_of_a_list_continue_over_empty_lines() {
    let shown = text(&render_markdown("3. a\n\n3. b\n\n   more\n3. c\n", &options(40)));
    assert_eq!(shown, "3. a\n4. b\n\n   more\n5. c\n");
}

#[test]
fn a_fenced_block_streams_line_by_line() {
    let mut stream = MarkdownStream::new(&options(40));
    assert_eq!(text(&stream.push("```text\none\ntw")), "text\n  one\n");
    assert_eq!(text(&stream.tail()), "  tw\n");
    assert_eq!(text(&stream.push("o\n```\n")), "  two\n");
}

#[test]
fn emphasis_differs_without_colors() {
    let lines = render_markdown("**a** *b* `c` ~~d~~", &options(40));
    let styles: Vec<_> = lines[0].spans.iter().map(|span| span.style.add_modifier).collect();
    assert_eq!(styles[0], options(40).theme.style(Role::Strong).add_modifier);
    assert_ne!(styles[0], styles[2]);
}

#[test]
fn the_tail_of_a_long_text_is_bounded() {
    let mut stream = MarkdownStream::new(&options(80));
    stream.push(&"word ".repeat(100_000));
    let tail = stream.tail();
    assert!(!tail.is_empty() && tail.len() < 400, "{}", tail.len());
}

fn stream(pieces: &[&str], options: &RenderOptions) -> Vec<Line<'static>> {
    let mut stream = MarkdownStream::new(options);
    let mut lines: Vec<Line<'static>> = pieces.iter().flat_map(|piece| stream.push(piece)).collect();
    lines.extend(stream.finish());
    lines
}

/// Returns texts that are made of pieces of Markdown.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a ",
        "word",
        "\n",
        "\n\n",
        "# ",
        "- ",
        "* ",
        "1. ",
        "2. ",
        "  ",
        "   ",
        "    ",
        "\t",
        "> ",
        "```",
        "```rust\n",
        "~~~",
        "`",
        "**",
        "*",
        "_",
        "|",
        "|a|b|\n|-|-|\n",
        "|-|-|\n",
        "[a](b)",
        "[x]: y",
        "<div>",
        "<!--",
        "---",
        "===",
        "é",
        "日本",
        "👨\u{200d}👩\u{200d}👧",
        "\u{1b}",
        "\r\n",
        "\\",
        "fn f() {",
        "\"",
        "/*",
        "https://a.example/long/path",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_division_gives_the_same_lines(
        source in markdown(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        columns in 20_usize..120,
    ) {
        let mut at: Vec<usize> = cuts.iter().map(|cut| source.floor_char_boundary(cut.index(source.len() + 1))).collect();
        at.extend([0, source.len()]);
        at.sort_unstable();
        let pieces: Vec<&str> = at.windows(2).map(|pair| &source[pair[0]..pair[1]]).collect();
        let whole = render_markdown(&source, &options(columns));
        prop_assert_eq!(stream(&pieces, &options(columns)), whole);
    }

    #[test]
    fn lines_fit_and_the_tail_completes_them(source in markdown(), columns in 20_usize..60) {
        let options = options(columns);
        let mut stream = MarkdownStream::new(&options);
        let mut lines = stream.push(&source);
        let tail = stream.tail();
        assert_fits(&tail, options);
        lines.extend(tail);
        assert_fits(&lines, options);
        prop_assert_eq!(lines, render_markdown(&source, &options));
    }
}
