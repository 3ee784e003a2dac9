//! The cost of the text of a patch or of blocks grows with its bytes.

use windlass_testkit::growth::{self, MEGABYTE, Shape};

use super::{MAX_BYTES, PatchError, parse};
use crate::blocks;

#[test]
fn a_patch_is_read_in_linear_time() {
    let lines = [
        "+a\n",
        "-a\n",
        " a\n",
        "\n",
        "@@\n",
        "@@ a\n",
        "@@ -1,1 +1,1 @@\n-a\n+b\n",
        "a",
        "*** Add File: a{n}\n+b\n",
        "*** Delete File: a{n}\n",
        "*** Update File: a{n}\n@@\n-a\n+b\n",
        "*** End of File\n",
        "\\ No newline\n",
        "\r\n",
        "+",
    ];
    let shapes =
        lines.map(|line| Shape::new("*** Begin Patch\n*** Update File: a\n", line, "\n*** End Patch\n"));
    let added = lines.map(|line| Shape::new("*** Begin Patch\n*** Add File: a\n", line, "\n*** End Patch\n"));
    let around = ["```\n", "\n", "cat <<E\n", "a\n"].map(Shape::repeat);
    let shapes = [shapes.to_vec(), added.to_vec(), around.to_vec()].concat();
    growth::check("patch::tests::a_patch_is_read_in_linear_time", MEGABYTE, &shapes, |text| {
        let _ = parse(text);
    });
    assert_eq!(parse(&"a".repeat(MAX_BYTES + 1)), Err(PatchError::TooLong(MAX_BYTES + 1)));
}

#[test]
fn blocks_are_read_in_linear_time() {
    let parts = [
        "<<<<<<< SEARCH\na{n}\n=======\nb\n>>>>>>> REPLACE\n",
        "a{n}\n",
        "=======\n",
        "<<<<<<< SEARCH\n",
        "\\=======\n",
        "\n",
        ":start_line:1\n",
        "-------\n",
        "```\n",
        "<",
        ">>>>>>> REPLACE\n",
    ];
    let outside = parts.map(Shape::repeat);
    let end = "\n>>>>>>> REPLACE";
    let found = parts.map(|part| Shape::new("<<<<<<< SEARCH\n", part, format!("\n=======\nb{end}")));
    let replaced = parts.map(|part| Shape::new("<<<<<<< SEARCH\nx\n=======\n", part, end));
    let both =
        Shape::new("<<<<<<< SEARCH\n", "a{n}\n", format!("=======\n{}{end}", "b\nc\n".repeat(100_000)));
    let shapes = [outside.to_vec(), found.to_vec(), replaced.to_vec(), vec![both]].concat();
    growth::check("patch::tests::blocks_are_read_in_linear_time", MEGABYTE, &shapes, |text| {
        let _ = blocks::parse(text, "a.txt");
    });
}
