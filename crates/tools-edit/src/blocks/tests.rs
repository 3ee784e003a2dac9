//! Blocks in the forms of the programs that introduced them.

use super::*;

/// The hint and the lines of a block, each line with its sign.
type Read = (Option<usize>, Vec<String>);

fn read(text: &str) -> Result<Vec<Read>, BlockError> {
    let sign = |line: &HunkLine| match line {
        HunkLine::Keep(line) => format!(" {line}"),
        HunkLine::Remove(line) => format!("-{line}"),
        HunkLine::Add(line) => format!("+{line}"),
    };
    let hint = |hint| match hint {
        Some(Hint::Near(line)) => Some(line),
        _ => None,
    };
    let hunks = parse(text, "src/a.rs")?;
    Ok(hunks.iter().map(|hunk| (hint(hunk.hint), hunk.lines.iter().map(sign).collect())).collect())
}

#[track_caller]
fn check(text: &str, expected: &[(Option<usize>, &[&str])]) {
    let met = read(text).unwrap();
    let met: Vec<(Option<usize>, Vec<&str>)> =
        met.iter().map(|(hint, lines)| (*hint, lines.iter().map(String::as_str).collect())).collect();
    let expected: Vec<_> = expected.iter().map(|(hint, lines)| (*hint, lines.to_vec())).collect();
    assert_eq!(met, expected);
    // A model on another system ends its lines in another way.
    assert_eq!(read(&text.replace('\n', "\r\n")), read(text));
}

#[test]
fn all_forms_are_read() {
    let one: &[(Option<usize>, &[&str])] = &[(None, &[" a", "-b", "+x"])];
    check("<<<<<<< SEARCH\na\nb\n=======\na\nx\n>>>>>>> REPLACE", one);
    check("<<<<<<< SEARCH>\na\nb\n=======\na\nx\n>>>>>>> REPLACE\n", one);
    check("------- SEARCH\na\nb\n=======\na\nx\n+++++++ REPLACE\n", one);
    check("src/a.rs\n```rust\n<<<<<<< SEARCH\na\nb\n=======\na\nx\n>>>>>>> REPLACE\n```\n", one);
    check("**./src/a.rs**\n<<<<< SEARCH\na\nb\n=======\na\nx\n>>>>> REPLACE", one);
    let hinted =
        "<<<<<<< SEARCH\n:start_line: 12\n:end_line:13\n-------\na\nb\n=======\na\nx\n>>>>>>> REPLACE";
    check(hinted, &[(Some(12), &[" a", "-b", "+x"])]);
    let two = "<<<<<<< SEARCH\n:start_line:1\n-------\na\n=======\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\nb\n=======\nb\n\n>>>>>>> REPLACE\n";
    check(two, &[(Some(1), &["-a"]), (None, &[" b", "+"])]);
}

#[test]
fn a_line_of_the_file_that_looks_like_a_marker_is_escaped() {
    let text = "<<<<<<< SEARCH\n\\<<<<<<< HEAD\n\\=======\n\\>>>>>>> main\n=======\n\\-------\n\\:start_line:3\n\\plain\n>>>>>>> REPLACE";
    let lines: &[&str] =
        &["-<<<<<<< HEAD", "-=======", "->>>>>>> main", "+-------", "+:start_line:3", "+\\plain"];
    check(text, &[(None, lines)]);
    // A text that cannot be confused with a marker needs none.
    let plain = "<<<<<<< SEARCH\n<<<<<<< HEAD\n-------\n=====\n=======\n>>>>>>> main\n>>>>>>> REPLACE";
    check(plain, &[(None, &["-<<<<<<< HEAD", "--------", "-=====", "+>>>>>>> main"])]);
}

#[test]
fn an_invalid_block_is_refused_with_its_line() {
    for (text, expected) in [
        ("", BlockError::Empty),
        ("```\n```", BlockError::Empty),
        ("@@ -1 +1 @@\n-a\n+b", BlockError::Outside(1)),
        ("src/b.rs\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", BlockError::Outside(1)),
        ("=======\n", BlockError::Marker(1)),
        ("<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE", BlockError::Marker(5)),
        ("<<<<<<< SEARCH\na\n<<<<<<< SEARCH\n", BlockError::Marker(3)),
        ("\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE", BlockError::NoDivider(2)),
        ("<<<<<<< SEARCH\na", BlockError::NoDivider(1)),
        ("<<<<<<< SEARCH\na\n=======\nb", BlockError::NoEnd(1)),
        ("<<<<<<< SEARCH\n:start_line:0\n-------\na\n=======\nb\n>>>>>>> REPLACE", BlockError::Number(2)),
        ("<<<<<<< SEARCH\na\n=======\na\n>>>>>>> REPLACE", BlockError::Nothing(1)),
    ] {
        assert_eq!(read(text).unwrap_err(), expected, "{text}");
    }
    let many = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n".repeat(501);
    assert_eq!(read(&many).unwrap_err(), BlockError::TooMany);
}
