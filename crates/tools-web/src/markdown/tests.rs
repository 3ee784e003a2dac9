//! The form of text.

use super::{Style, render};
use crate::WebUrl;

#[track_caller]
fn check(html: &str, expected: &str) {
    check_as(Style::Markdown, html, expected);
}

#[track_caller]
fn check_as(style: Style, html: &str, expected: &str) {
    let base = WebUrl::parse("https://h.test/a/b").unwrap();
    assert_eq!(render(html, &base, style, 100_000).text, expected, "{html}");
}

#[test]
fn text_and_inline_marks_are_rendered() {
    check("", "");
    check("a", "a\n");
    check("  a \n\t b&nbsp;c&amp;&lt;d  ", "a b c&<d\n");
    check("<p>a<p>b", "a\n\nb\n");
    check("<p>a</p> <p>b</p>", "a\n\nb\n");
    check("a<br>b<br/>c", "a\nb\nc\n");
    check("a <b> b </b> c", "a **b** c\n");
    check("a<b> b</b>c", "a **b**c\n");
    check("<b><strong>a</strong></b>", "**a**\n");
    check("<i>a <b>b</i> c</b> d", "*a **b*** c d\n");
    check("<b></b>a<b> </b>b", "a b\n");
    check("<b><p>a</p><p>b</p></b>", "**a**\n\n**b**\n");
    check("x<sup>2</sup> <s>a</s> <code>let <b>a</b></code>", "x^2 ~~a~~ `let a`\n");
    check("a<hr>b", "a\n\n---\n\nb\n");
    check("<h1>A <em>b</em></h1>c<h3></h3><h3>d</h3>", "# A *b*\n\nc\n\n### d\n");
}

#[test]
fn links_and_images() {
    check("<a href='../c?x=1#y'>d</a>", "[d](https://h.test/c?x=1)\n");
    check("<a href=c>d <a href=e>f", "[d](https://h.test/a/c) [f](https://h.test/a/e)\n");
    check("<a href='#x'>d</a> <a>e</a> <a href='javascript:f()'>g</a> <a href=mailto:a@b>m</a>", "d e g m\n");
    check("<a href='c(1)'>d</a>", "[d](<https://h.test/a/c(1)>)\n");
    check("<a href=c></a>a<a href=c> </a>b", "a b\n");
    check("<a href=c><h2>A</h2><p>b</a>", "## [A](https://h.test/a/c)\n\n[b](https://h.test/a/c)\n");
    check("<img src=i.png alt='a b'>", "![a b](https://h.test/a/i.png)\n");
    check("<img src=i.png><img src=data:x alt=d>", "d\n");
    check("<a href=c><img src=i.png alt=a></a>", "[a](https://h.test/a/c)\n");
    check("<base href=/z/><a href=c>d</a>", "[d](https://h.test/z/c)\n");
}

#[test]
fn blocks() {
    check("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e", "- a\n- b\n  - c\n- d\n\ne\n");
    check("<ol start=9><li><p>a</p><p>b</p></li><li>c</ol>", "9. a\n\n   b\n\n10. c\n");
    check("<blockquote><p>a<p>b<blockquote>c</blockquote></blockquote>d", "> a\n>\n> b\n>>\n> > c\n\nd\n");
    check(
        "<pre><code class='x language-rust'>\nfn a() {\n\n    b\n}\n</code></pre>c",
        "```rust\nfn a() {\n\n    b\n}\n```\n\nc\n",
    );
    check("<pre>a ``` b</pre>", "````\na ``` b\n````\n");
    check("<li>x<pre>a\nb</pre>", "- x\n\n  ```\n  a\n  b\n  ```\n");
    check("<dl><dt>a<dd>b</dl>", "a\n: b\n");
    check("<div>a</div><div>b</div>", "a\nb\n");
}

#[test]
fn tables() {
    let table = "x<table><thead><tr><th>a<th>b|c</thead><tr><td>1<br>2<td></table>y";
    check(table, "x\n\n| a | b\\|c |\n|---|---|\n| 1 2 | |\n\ny\n");
    check("<table><tr><td>a<table><tr><td>b<td>c</table>d</table>", "| a b c d |\n|---|\n");
    check("<td>a</td>", "a\n");
    check_as(Style::Text, "<table><tr><td><b>a</b><td><a href=b>c</a></table>", "| a | c |\n");
    check_as(Style::Text, "<h1>a</h1><pre>b\n c</pre><ul><li>d</ul>", "a\n\nb\n c\n\n- d\n");
}

#[test]
fn invisible_content_is_not_read() {
    check("<script>a</script><style>b</style>c<!-- d --><template>e</template>", "c\n");
    check("a<div hidden>b<p>c</div>d", "ad\n");
    check("a<div style='Display : NONE'>b</div>c<span aria-hidden=true>d</span>", "ac\n");
    check("<svg><title>t</title><text>a</text></svg>b", "b\n");
    check("<nav>a b</nav><footer>c</footer>", "a b\nc\n");
    let words = "word ".repeat(60);
    let page = format!("<nav>menu</nav><p>{words}</p><footer>imprint</footer>");
    check(&page, &format!("{}\n", words.trim()));
    let page = format!("<div>around</div><main><p>{words}</main><div>behind</div>");
    check(&page, &format!("{}\n", words.trim()));
}

#[test]
fn the_title_is_separated_from_the_text() {
    let base = WebUrl::parse("https://h.test/").unwrap();
    let page = render("<head><title> A\n&amp; b </title></head><p>c", &base, Style::Markdown, 1_000);
    assert_eq!((page.title.as_deref(), page.text.as_str()), (Some("A & b"), "c\n"));
}

proptest::proptest! {
    #[test]
    fn any_page_renders_within_the_limits(
        parts in proptest::collection::vec((proptest::sample::select(TAGS.to_vec()), ".{0,6}"), 0..60),
    ) {
        let html: String = parts.iter().flat_map(|(tag, text)| [*tag, text.as_str()]).collect();
        let base = WebUrl::parse("https://h.test/").unwrap();
        for style in [Style::Markdown, Style::Text] {
            let whole = render(&html, &base, style, 10_000);
            let cut = render(&html, &base, style, 20);
            proptest::prop_assert!(whole.text.is_empty() || whole.text.ends_with('\n'));
            proptest::prop_assert!(whole.is_cut || whole.text.len() <= 10_000 + 2_000);
            proptest::prop_assert!(cut.text.len() <= 2_000, "{}", cut.text.len());
        }
    }
}

const TAGS: [&str; 30] = [
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<a href=x>",
    "</a>",
    "<ul>",
    "<ol>",
    "<li>",
    "</ul>",
    "<table>",
    "<tr>",
    "<td>",
    "</td>",
    "</tr>",
    "</table>",
    "<pre>",
    "</pre>",
    "<blockquote>",
    "</blockquote>",
    "<h2>",
    "<br>",
    "<title>",
    "</title>",
    "<main>",
    "<nav hidden",
];

#[test]
fn the_rendering_of_a_hostile_page_is_bounded() {
    let base = WebUrl::parse(&format!("https://h.test/{}", "x".repeat(7_000))).unwrap();
    for part in [
        "<div>",
        "<b>",
        "<blockquote>a",
        "<ul><li>a",
        "<table><tr><td>a",
        "<a href=b>a",
        "<p><div>a",
        "</p>",
        "<pre>`",
    ] {
        let limit = 100_000;
        let page = render(&part.repeat(60_000), &base, Style::Markdown, limit);
        assert!(page.text.len() < limit + 50_000, "{part}: {}", page.text.len());
    }
}
