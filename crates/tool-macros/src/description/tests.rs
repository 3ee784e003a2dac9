//! Descriptions for models from doc comments.

use syn::{ItemStruct, parse_str};

use super::description;

#[track_caller]
fn check(docs: &str, expected: &str) {
    let item: ItemStruct = parse_str(&format!("{docs}\nstruct S;")).unwrap();
    assert_eq!(description(&item.attrs), expected);
}

#[test]
fn the_lines_of_a_paragraph_are_joined() {
    check("/// One\n/// two.", "One two.");
    check("/// One.\n///\n/// Two\n/// three.", "One.\n\nTwo three.");
    check("#[doc = \"One.\"]", "One.");
    check("#[doc = \" One\\n two.\"]", "One two.");
    check("", "");
}

#[test]
fn lists_tables_headings_and_code_keep_their_lines() {
    check("/// Either\n/// - one\n///   more\n/// - two", "Either\n- one more\n- two");
    check("/// 1. one\n/// 2. two", "1. one\n2. two");
    check("/// # Head\n/// text", "# Head\ntext");
    check("/// | a |\n/// |---|", "| a |\n|---|");
    check("/// ```\n/// a\n///   b\n/// ```\n/// after", "```\na\n  b\n```\nafter");
}
