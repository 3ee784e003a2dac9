//! The parser behind C functions: JavaScript writes a delta into the input buffer, and reads the visible nodes as JSON
//! from the output buffer. The module imports nothing.

use std::cell::RefCell;

use serde_json::json;
use windlass_partial_json::{Completeness, Kind, Node, Parser, Status};

/// The largest delta, in bytes.
const INPUT_BYTES: usize = 64 * 1024;

struct Page {
    parser: Parser,
    input: Vec<u8>,
    output: String,
}

thread_local! {
    /// A WebAssembly module has one thread.
    static PAGE: RefCell<Page> = RefCell::new(Page {
        parser: Parser::new(),
        input: vec![0; INPUT_BYTES],
        output: String::new(),
    });
}

/// Forgets the text, for another one.
#[unsafe(no_mangle)]
pub extern "C" fn restart() {
    PAGE.with_borrow_mut(|page| page.parser.clear());
}

/// Returns the address of the input buffer. The address stays the same.
#[unsafe(no_mangle)]
pub extern "C" fn input() -> *mut u8 {
    PAGE.with_borrow_mut(|page| page.input.as_mut_ptr())
}

/// Returns the length of the input buffer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn input_bytes() -> usize {
    INPUT_BYTES
}

/// Parses the first `length` bytes of the input buffer, which may end inside of a character. Returns 0 while the text
/// is incomplete, 1 if it is complete, and 2 if it is not JSON.
#[unsafe(no_mangle)]
pub extern "C" fn push(length: usize) -> u32 {
    PAGE.with_borrow_mut(|page| {
        let delta = page.input.get(..length).unwrap_or_default();
        // The parser keeps the error, and `status` contains its place.
        let _ = page.parser.push_bytes(delta);
        match page.parser.status() {
            Status::Incomplete => 0,
            Status::Complete => 1,
            Status::Malformed { .. } => 2,
        }
    })
}

/// Writes the visible nodes to the output buffer and returns its length in bytes: a JSON array with one row
/// `[depth, key, kind, completeness, text]` for each node, in text order.
#[unsafe(no_mangle)]
pub extern "C" fn render() -> usize {
    PAGE.with_borrow_mut(|page| {
        page.output = render_rows(&page.parser);
        page.output.len()
    })
}

/// Returns the address of the output buffer, which the next call of `render` changes.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    PAGE.with_borrow(|page| page.output.as_ptr())
}

fn render_rows(parser: &Parser) -> String {
    let mut rows = Vec::new();
    let mut open: Vec<(usize, String, Node<'_>)> = Vec::new();
    open.extend(parser.snapshot().root().map(|root| (0, String::new(), root)));
    while let Some((depth, key, node)) = open.pop() {
        rows.push(json!([depth, key, kind_name(node.kind()), completeness_name(node), node_text(node)]));
        let members = node.members().map(|(key, member)| (depth + 1, key.to_owned(), member));
        let elements = node.elements().enumerate();
        let elements = elements.map(|(index, element)| (depth + 1, index.to_string(), element));
        let first = open.len();
        open.extend(members.chain(elements));
        open[first..].reverse();
    }
    serde_json::Value::from(rows).to_string()
}

fn node_text(node: Node<'_>) -> String {
    match node.kind() {
        Kind::String => node.as_str().unwrap_or_default().to_owned(),
        Kind::Number => node.number_text().unwrap_or_default().to_owned(),
        Kind::Bool => node.as_bool().map(|value| value.to_string()).unwrap_or_default(),
        Kind::Null => if node.is_complete() { "null" } else { "" }.to_owned(),
        Kind::Array | Kind::Object => node.len().to_string(),
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "bool",
        Kind::Number => "number",
        Kind::String => "string",
        Kind::Array => "array",
        Kind::Object => "object",
    }
}

fn completeness_name(node: Node<'_>) -> &'static str {
    match node.completeness() {
        Completeness::Pending => "pending",
        Completeness::Growing => "growing",
        Completeness::Complete => "complete",
    }
}

#[cfg(test)]
mod tests {
    use windlass_partial_json::Parser;

    use super::render_rows;

    #[test]
    fn rows_are_the_visible_nodes_in_text_order() {
        let mut parser = Parser::new();
        parser.push(r#"{"path": "a.rs", "lines": [1, 2], "dry": tru"#).unwrap();
        let rows = [
            r#"[0,"","object","growing","3"]"#,
            r#"[1,"path","string","complete","a.rs"]"#,
            r#"[1,"lines","array","complete","2"]"#,
            r#"[2,"0","number","complete","1"]"#,
            r#"[2,"1","number","complete","2"]"#,
            r#"[1,"dry","bool","pending",""]"#,
        ];
        assert_eq!(render_rows(&parser), format!("[{}]", rows.join(",")));
    }

    #[test]
    fn the_functions_parse_deltas_that_end_inside_of_a_character() {
        super::restart();
        assert!(!super::input().is_null());
        for byte in r#"["é"]"#.bytes() {
            super::PAGE.with_borrow_mut(|page| page.input[0] = byte);
            assert!(super::push(1) < 2);
        }
        assert_eq!(super::push(0), 1);
        super::render();
        let output = super::PAGE.with_borrow(|page| page.output.clone());
        assert_eq!(output, r#"[[0,"","array","complete","1"],[1,"0","string","complete","é"]]"#);
        super::PAGE.with_borrow_mut(|page| page.input[0] = b'x');
        assert_eq!(super::push(1), 2);
    }
}
