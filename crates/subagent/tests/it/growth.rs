//! The cost of a definition of an agent grows with its bytes, up to a limit. Skills and commands are
//! documents, too.

use windlass_subagent::AgentDefinition;
use windlass_testkit::growth::{self, Shape};
use windlass_tools_skills::{Document, DocumentError};

/// The longest document and the longest front matter, in bytes.
const LONGEST: usize = 100_000;
const LONGEST_FRONT: usize = 16_000;
const HEAD: &str = "---\nname: a\ndescription: b\n";

fn read(text: &str) {
    if let Ok(document) = Document::parse(text) {
        let _ = (document.words("name", 100), document.keys().count());
    }
    let _ = AgentDefinition::parse(text);
}

#[test]
fn a_document_is_read_in_linear_time_up_to_its_limit() {
    let shapes = ["a", "---\n", "\n", "- ", "\u{feff}", "---", "a: b\n", "\r\n"].map(Shape::repeat);
    let bodies = ["a", "---\n", "\n", "{{"].map(|body| Shape::new(format!("{HEAD}---\n"), body, ""));
    let shapes = [shapes.to_vec(), bodies.to_vec()].concat();
    growth::check("growth::a_document_is_read_in_linear_time_up_to_its_limit", LONGEST, &shapes, read);
    let refused = Document::parse(&"a".repeat(LONGEST + 1)).unwrap_err();
    assert!(matches!(refused, DocumentError::TooLong { .. }), "{refused}");
}

#[test]
fn front_matter_is_read_in_linear_time_up_to_its_limit() {
    let repeated = [
        "k{n}: v\n",
        "k{n}: [a]\n",
        "k: v\n",
        "- a\n",
        "a",
        " ",
        "\n",
        "tools: ",
        "? ",
        ": ",
        "[",
        "{",
        "{a: ",
        "\"",
        "'",
        "\"\\u0041",
        "|\n",
        ">\n a\n",
        "&a ",
        "*a ",
        "!!a ",
        "%a\n",
        "#",
        "\t",
        "\u{e9}",
        "- - ",
        "a:\n ",
        "...\n",
    ];
    let front = repeated.map(|part| Shape::new(HEAD, part, "\n---\nBody"));
    let value = ["a", " ", "a, ", "\n ", "\\", "\\x41", "[", "{"];
    let values = value.map(|part| Shape::new(format!("{HEAD}tools: \""), part, "\"\n---\nBody"));
    let lists =
        ["a, ", "[", "{a: ", "[], "].map(|part| Shape::new(format!("{HEAD}tools: ["), part, "]\n---\nBody"));
    let shapes = [front.to_vec(), values.to_vec(), lists.to_vec()].concat();
    let test = "growth::front_matter_is_read_in_linear_time_up_to_its_limit";
    growth::check(test, LONGEST_FRONT, &shapes, read);
    let long = format!("{HEAD}#{}\n---\nBody", "a".repeat(LONGEST_FRONT));
    assert!(matches!(Document::parse(&long), Err(DocumentError::TooLong { .. })));
}
