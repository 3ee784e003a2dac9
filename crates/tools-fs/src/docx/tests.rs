//! Documents, good and hostile.

use std::io::{Cursor, Write};

use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{DOCUMENT, text};

fn package(name: &str, xml: &[u8]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file(name, SimpleFileOptions::default()).unwrap();
    writer.write_all(xml).unwrap();
    writer.finish().unwrap().into_inner()
}

#[track_caller]
fn check(body: &str, expected: &str) {
    let xml =
        format!("<?xml version=\"1.0\"?><w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>");
    assert_eq!(text(&package(DOCUMENT, xml.as_bytes())).as_deref(), Some(expected), "{body}");
}

#[test]
fn paragraphs_headings_lists_and_tables_are_lines() {
    check(
        "<w:p><w:r><w:t>one</w:t></w:r><w:r><w:t xml:space=\"preserve\"> two</w:t></w:r></w:p>",
        "one two\n",
    );
    check("<w:p/><w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>", "\na\tb\nc\n");
    check("<w:p><w:pPr><w:pStyle w:val=\"Heading2\"/></w:pPr><w:r><w:t>Top</w:t></w:r></w:p>", "## Top\n");
    check(
        "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/></w:numPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>",
        "- x\n",
    );
    let cell = |text: &str| format!("<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>");
    check(&format!("<w:tbl><w:tr>{}{}</w:tr></w:tbl>", cell("a"), cell("b")), "a | b | \n");
    check("<w:p><w:r><w:t>a &lt; b &amp; &#x41;&#66; &nope;</w:t></w:r></w:p>", "a < b & AB \u{fffd}\n");
    check(
        "<w:p><w:r><w:instrText>PAGE</w:instrText><w:delText>gone</w:delText><w:t>kept</w:t></w:r></w:p>",
        "kept\n",
    );
}

// correctness-3 14
#[test]
fn no_text_is_repeated_merged_or_lost() {
    let run = |text: &str| format!("<w:r><w:t>{text}</w:t></w:r>");
    let boxed = format!("<w:txbxContent><w:p>{}</w:p></w:txbxContent>", run("box text"));
    check(
        &format!(
            "<w:p>{}<w:r><mc:AlternateContent><mc:Choice>{boxed}</mc:Choice><mc:Fallback>{boxed}</mc:Fallback></mc:AlternateContent></w:r>{}</w:p>",
            run("a"),
            run("b")
        ),
        "a\nbox text\nb\n",
    );
    check(
        &format!("<w:p><w:moveFrom>{0}</w:moveFrom></w:p><w:p><w:moveTo>{0}</w:moveTo></w:p>", run("moved")),
        "\nmoved\n",
    );
    check(
        "<w:p><w:pPr><w:tabs><w:tab w:val=\"left\" w:pos=\"720\"/></w:tabs></w:pPr><w:r><w:t>one</w:t><w:noBreakHyphen/><w:t>two</w:t><w:sym w:font=\"Symbol\" w:char=\"F0B7\"/><w:tab/><w:t>x</w:t></w:r></w:p>",
        "one-two\u{2022}\tx\n",
    );
    check("<w:p><w:pPr><w:outlineLvl w:val=\"1\"/></w:pPr><w:r><w:t>Top</w:t></w:r></w:p>", "## Top\n");
}

#[test]
fn headings_are_those_of_any_language() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let styles = "<w:styles><w:style w:styleId=\"berschrift1\"><w:name w:val=\"heading 1\"/></w:style><w:style w:styleId=\"Own\"><w:pPr><w:outlineLvl w:val=\"2\"/></w:pPr></w:style></w:styles>";
    let paragraph = |style: &str| {
        format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr><w:r><w:t>{style}</w:t></w:r></w:p>")
    };
    let document = ["berschrift1", "Own", "Heading4", "Normal"].map(paragraph).concat();
    let document = format!("<w:document>{document}</w:document>");
    for (name, xml) in [("word/styles.xml", styles), (DOCUMENT, document.as_str())] {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(xml.as_bytes()).unwrap();
    }
    let bytes = writer.finish().unwrap().into_inner();
    assert_eq!(text(&bytes).unwrap(), "# berschrift1\n### Own\n#### Heading4\nNormal\n");
}

#[test]
fn an_invalid_document_has_no_text() {
    assert_eq!(text(b""), None);
    assert_eq!(text(b"PK\x03\x04"), None);
    assert_eq!(text(&package("other.xml", b"<a/>")), None);
    assert_eq!(text(&package(DOCUMENT, b"<w:p><w:t>open")).as_deref(), Some("open"));
    assert_eq!(text(&package(DOCUMENT, b"<w:p></w:t>")), None);
    assert_eq!(text(&package(DOCUMENT, b"\xff\xfe")), None);
}

// A small file that declares a very large length.
#[test]
fn a_bomb_is_refused() {
    let bomb = package(DOCUMENT, &vec![b' '; 40 * 1024 * 1024]);
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    assert_eq!(text(&bomb), None);
}

proptest! {
    #[test]
    fn arbitrary_bytes_only_end_the_reading(
        xml in prop::collection::vec(any::<u8>(), 0..400),
        cut in 0..600_usize,
        flips in prop::collection::vec((0..600_usize, any::<u8>()), 0..8),
    ) {
        let mut bytes = package(DOCUMENT, &xml);
        bytes.truncate(cut);
        for (at, byte) in flips {
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        }
        let _ = text(&bytes);
    }
}
