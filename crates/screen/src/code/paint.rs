//! Roles of code by the queries of its grammar.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, QueryCursor, StreamingIterator as _, Tree};

use super::Language;
use super::grammar::grammar;
use crate::theme::Role;

/// Depth of a syntax tree that is not highlighted: the time of a query grows with the square of the depth.
const MAX_DEPTH: usize = 500;
/// Number of brackets and signs in a row, as in broken code, that is not highlighted: for each of them a query searches
/// the next named node.
const MAX_UNNAMED: usize = 300;
/// Maximum number of matches of a query that are open at the same time.
const MAX_MATCHES: u32 = 64;

/// Remaining calls of a progress callback, which happen after a constant number of steps of the parser.
#[derive(Debug)]
struct Steps(usize);

impl Steps {
    fn new(bytes: usize) -> Self {
        Self(bytes.saturating_div(4).saturating_add(100))
    }

    fn next(&mut self) -> ControlFlow<()> {
        self.0 = self.0.saturating_sub(1);
        if self.0 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Part of a code with a role.
#[derive(Clone, Copy, Debug)]
struct Capture {
    start: usize,
    end: usize,
    role: Role,
    pattern: usize,
}

/// Returns the role of each byte of a code. Only the part from `from` on is painted. Returns `None` if the code cannot
/// be parsed.
pub(super) fn paint(code: &str, from: usize, language: Language) -> Option<Vec<Role>> {
    let grammar = grammar(language)?;
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).ok()?;
    // The work is limited by counting, because broken code can take the parser much longer than its length.
    let mut parse_steps = Steps::new(code.len());
    let mut progress = |_: &ParseState| parse_steps.next();
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut piece = |at: usize, _| code.as_bytes().get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut piece, None, Some(options))?;
    if is_costly(&tree) {
        return None;
    }
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MAX_MATCHES);
    cursor.set_byte_range(from..code.len());
    let mut found = cursor.captures(&grammar.query, tree.root_node(), code.as_bytes());
    let mut captures = Vec::new();
    while let Some((part, index)) = found.next() {
        let Some(capture) = part.captures().get(*index) else { continue };
        let role = grammar.roles.get(capture.index as usize).copied().flatten();
        if let Some(role) = role {
            let range = capture.node.byte_range();
            captures.push(Capture { start: range.start, end: range.end, role, pattern: part.pattern_index });
        }
    }
    // Inner parts are painted over outer ones, and of equal parts the most specific role is painted last.
    captures.sort_by_key(|it| (it.start, std::cmp::Reverse(it.end), rank(it.role), it.pattern));
    let mut roles = vec![Role::Words; code.len()];
    for capture in captures {
        if let Some(part) = roles.get_mut(capture.start..capture.end) {
            part.fill(capture.role);
        }
    }
    Some(roles)
}

/// Returns whether a query over a syntax tree would take too long.
fn is_costly(tree: &Tree) -> bool {
    let (mut cursor, mut depth, mut unnamed) = (tree.walk(), 0_usize, 0_usize);
    while depth < MAX_DEPTH && unnamed < MAX_UNNAMED {
        if cursor.goto_first_child() {
            (depth, unnamed) = (depth.saturating_add(1), 0);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            (depth, unnamed) = (depth.saturating_sub(1), 0);
        }
        unnamed = if cursor.node().is_named() { 0 } else { unnamed.saturating_add(1) };
    }
    true
}

/// Returns how specific a role is. Queries of some grammars list the general patterns first, others last.
fn rank(role: Role) -> u8 {
    match role {
        Role::Property => 0,
        Role::Function => 2,
        _ => 1,
    }
}
