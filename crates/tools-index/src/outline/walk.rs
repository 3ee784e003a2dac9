//! One pass over a syntax tree with a cursor, so that depth costs heap memory and not stack.

use tree_sitter::{Node, Tree};

use super::lines::LineMarks;
use super::names::{
    declares_function, doc, docstring, is_function, name_of, name_text, one_line, receiver, signature, text,
};
use super::{Gap, Outline};
use crate::grammar::{Ready, Role};
use crate::symbol::{Kind, Symbol};

const MAX_IMPORT_CHARS: usize = 200;
/// Number of nodes between two checks of the clock.
const NODES_PER_LOOK: usize = 1_000;

/// A node whose children are being visited.
struct Open {
    depth: usize,
    role: Option<Role>,
    symbol: Option<usize>,
    /// True if the node increased the nesting of its content.
    nests: bool,
    /// True if the node is a function, which starts nesting at zero.
    runs: bool,
    /// Nesting before the node.
    nesting_before: u32,
}

/// Comments directly before the current node, at its depth.
struct Pending {
    depth: usize,
    first_byte: usize,
    last_byte: usize,
    first_row: usize,
    last_row: usize,
}

struct Walk<'s> {
    ready: &'s Ready,
    source: &'s [u8],
    most: usize,
    outline: Outline,
    marks: LineMarks,
    open: Vec<Open>,
    /// Number of open comments, and open symbols and functions, the innermost last. A search in `open` for
    /// these would be quadratic in the depth.
    comments: usize,
    symbols: Vec<usize>,
    functions: Vec<usize>,
    pending: Option<Pending>,
    /// Depth and first row of the wrapper around the current node.
    wrapper: Option<(usize, usize)>,
    nesting: u32,
}

/// Takes time linear in the number of nodes. Ends early when `is_over` returns true and sets
/// [`Outline::gap`].
pub(super) fn walk(
    ready: &Ready,
    tree: &Tree,
    source: &[u8],
    most: usize,
    is_over: &dyn Fn() -> bool,
) -> Outline {
    let (outline, marks) = (Outline::default(), LineMarks::new(source));
    let (open, pending, wrapper) = (Vec::new(), None, None);
    let (symbols, functions, comments) = (Vec::new(), Vec::new(), 0);
    let mut walk = Walk {
        ready,
        source,
        most,
        outline,
        marks,
        open,
        comments,
        symbols,
        functions,
        pending,
        wrapper,
        nesting: 0,
    };
    let mut cursor = tree.walk();
    let (mut depth, mut count): (usize, usize) = (0, 0);
    'nodes: loop {
        count = count.wrapping_add(1);
        if count.is_multiple_of(NODES_PER_LOOK) && is_over() {
            walk.outline.gap = Some(Gap::Stopped);
            break;
        }
        walk.enter(cursor.node(), depth, cursor.field_name());
        if cursor.goto_first_child() {
            depth = depth.saturating_add(1);
            continue;
        }
        loop {
            walk.leave(depth);
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                break 'nodes;
            }
            depth = depth.saturating_sub(1);
        }
    }
    let mut outline = walk.outline;
    outline.lines = walk.marks.count(source);
    if outline.gap.is_none() && tree.root_node().has_error() {
        outline.gap = Some(Gap::Errors);
    }
    outline
}

/// Returns the last row with content of a node: some comments end with a line end.
fn last_row(node: Node<'_>) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > start.row { end.row.saturating_sub(1) } else { end.row }
}

impl Walk<'_> {
    fn enter(&mut self, node: Node<'_>, depth: usize, field: Option<&str>) {
        let role = self.ready.role(node.kind_id());
        let (first, last) = (node.start_position().row, last_row(node));
        let is_comment = role == Some(Role::Comment);
        let is_covered = self.comments > 0;
        if (is_comment || node.child_count() == 0) && !is_covered && node.start_byte() < node.end_byte() {
            self.marks.mark(first, last, is_comment);
        }
        let Some(role) = role else {
            // Any other named node at this depth claims the comments before it.
            if node.is_named() && self.pending.as_ref().is_some_and(|pending| pending.depth == depth) {
                self.pending = None;
            }
            return;
        };
        let nesting_before = self.nesting;
        let mut open =
            Open { depth, role: Some(role), symbol: None, nests: false, runs: false, nesting_before };
        match role {
            Role::Comment => self.comment(node, depth, (first, last)),
            Role::Attribute => self.attribute(depth, last),
            Role::Wrapper => self.wrap(node, depth),
            Role::Import => self.import(node),
            Role::Symbol(kind) => open.symbol = self.symbol(node, depth, kind),
            Role::Fork => {
                self.count(1);
                open.nests = !self.goes_on(field);
            }
            Role::Branch => self.count(1),
            Role::Choice => {
                self.count(-1);
                open.nests = true;
            }
            Role::Block => open.nests = true,
            Role::Else => {}
        }
        if open.nests {
            self.nest();
        }
        if let Some(index) = open.symbol {
            self.symbols.push(index);
            open.runs = self.outline.symbols.get(index).is_some_and(|symbol| symbol.kind.runs());
            self.functions.extend(open.runs.then_some(index));
        }
        self.comments = self.comments.saturating_add(usize::from(is_comment));
        self.open.push(open);
    }

    fn leave(&mut self, depth: usize) {
        while self.open.last().is_some_and(|open| open.depth >= depth) {
            let Some(open) = self.open.pop() else { return };
            if open.nests {
                self.nesting = self.nesting.saturating_sub(1);
            }
            if open.role == Some(Role::Wrapper) {
                self.wrapper = None;
                self.pending = None;
            }
            if open.role == Some(Role::Comment) {
                self.comments = self.comments.saturating_sub(1);
            }
            if open.symbol.is_some() {
                self.symbols.pop();
            }
            if open.runs {
                self.functions.pop();
                // The enclosing function continues with its own nesting.
                self.nesting = open.nesting_before;
            }
        }
    }

    fn comment(&mut self, node: Node<'_>, depth: usize, (first, last): (usize, usize)) {
        let follows =
            |pending: &&mut Pending| pending.depth == depth && first <= pending.last_row.saturating_add(1);
        // A trailing comment documents the code before it on its line.
        let is_behind = self.source.get(..node.start_byte()).is_some_and(|before| {
            before.iter().rev().take_while(|byte| **byte != b'\n').any(|byte| !byte.is_ascii_whitespace())
        });
        if let Some(pending) = self.pending.as_mut().filter(follows) {
            pending.last_byte = node.end_byte();
            pending.last_row = last;
        } else if !is_behind {
            let (first_byte, last_byte) = (node.start_byte(), node.end_byte());
            self.pending = Some(Pending { depth, first_byte, last_byte, first_row: first, last_row: last });
        }
    }

    fn attribute(&mut self, depth: usize, last: usize) {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.depth == depth) {
            pending.last_row = last;
        }
    }

    fn wrap(&mut self, node: Node<'_>, depth: usize) {
        let start = self.wrapper.map_or(node.start_position().row, |(_, row)| row);
        let nearest = self.pending.take().filter(|pending| {
            pending.depth == depth && node.start_position().row <= pending.last_row.saturating_add(1)
        });
        self.wrapper = Some((depth, start));
        self.pending = nearest.map(|pending| Pending {
            depth: depth.saturating_add(1),
            last_row: node.start_position().row,
            ..pending
        });
    }

    fn import(&mut self, node: Node<'_>) {
        let bytes = text(node, self.source);
        // A shell sources a file with an ordinary command.
        if node.kind() == "command" {
            let is_source = bytes.starts_with(b". ") || bytes.starts_with(b"source ");
            if !is_source {
                return;
            }
        }
        let line = node.start_position().row.saturating_add(1);
        if self.outline.imports.len() < self.most {
            self.outline.imports.push((line, one_line(bytes, MAX_IMPORT_CHARS)));
        }
    }

    /// Returns true if a fork continues its parent: `else if`.
    fn goes_on(&self, field: Option<&str>) -> bool {
        match self.open.last().map(|open| open.role) {
            Some(Some(Role::Else)) => true,
            Some(Some(Role::Fork)) => field == Some("alternative"),
            _ => false,
        }
    }

    /// Returns the function around the current node.
    fn function(&mut self) -> Option<&mut Symbol> {
        self.outline.symbols.get_mut(*self.functions.last()?)
    }

    fn count(&mut self, ways: i32) {
        if let Some(function) = self.function() {
            function.complexity = function.complexity.saturating_add_signed(ways);
        }
    }

    fn nest(&mut self) {
        self.nesting = self.nesting.saturating_add(1);
        let nesting = self.nesting;
        if let Some(function) = self.function() {
            function.nesting = function.nesting.max(nesting);
        }
    }

    fn symbol(&mut self, node: Node<'_>, depth: usize, kind: Kind) -> Option<usize> {
        let pending = self.pending.take().filter(|pending| {
            pending.depth == depth && node.start_position().row <= pending.last_row.saturating_add(1)
        });
        let is_inside = self.function().is_some();
        let kind = refine_kind(node, kind, is_inside)?;
        if self.outline.symbols.len() >= self.most {
            self.outline.gap = Some(Gap::TooMany);
            return None;
        }
        let name = name_of(node, kind).map(|name| name_text(name, self.source))?;
        let around = self.symbols.last().and_then(|index| self.outline.symbols.get(*index));
        let container = receiver(node, self.source).or_else(|| around.map(|symbol| symbol.name.clone()));
        let is_method = kind == Kind::Function && around.is_some_and(|symbol| symbol.kind.has_methods());
        let wrapped = self.wrapper.filter(|(at, _)| at.saturating_add(1) == depth).map(|(_, row)| row);
        let row = wrapped.unwrap_or(node.start_position().row);
        let written = pending.as_ref().and_then(|pending| {
            doc(self.source.get(pending.first_byte..pending.last_byte).unwrap_or_default())
        });
        let start = pending.map_or(row, |pending| pending.first_row.min(row));
        self.outline.symbols.push(Symbol {
            kind: if is_method { Kind::Method } else { kind },
            name,
            container,
            start: start.saturating_add(1),
            first: row.saturating_add(1),
            last: last_row(node).saturating_add(1),
            signature: signature(node, self.source),
            doc: written.or_else(|| docstring(node, self.source)),
            complexity: u32::from(kind.runs()),
            nesting: 0,
        });
        if kind.runs() {
            self.nesting = 0;
        }
        Some(self.outline.symbols.len().saturating_sub(1))
    }
}

/// Refines the kind of a declaration by its content and position. Returns `None` if the declaration is not a
/// symbol at this position.
fn refine_kind(node: Node<'_>, kind: Kind, is_inside: bool) -> Option<Kind> {
    let value = node.child_by_field_name("value");
    let runs = value.is_some_and(|value| is_function(value.kind()));
    match (node.kind(), kind) {
        ("declaration", _) => (declares_function(node) && !is_inside).then_some(Kind::Function),
        // A type that is only referenced here is declared elsewhere.
        ("struct_specifier" | "union_specifier" | "enum_specifier", _) => {
            node.child_by_field_name("body").map(|_| kind)
        }
        ("type_spec", _) => Some(match node.child_by_field_name("type").map(|inner| inner.kind()) {
            Some("struct_type") => Kind::Struct,
            Some("interface_type") => Kind::Interface,
            _ => Kind::Type,
        }),
        ("assignment", _) => {
            let left = node.child_by_field_name("left")?;
            (left.kind() == "identifier" && !is_inside).then_some(kind)
        }
        (_, Kind::Variable) if runs => Some(Kind::Function),
        (_, Kind::Field) if runs => Some(Kind::Method),
        (_, Kind::Variable | Kind::Field | Kind::Constant) if is_inside => None,
        ("variable_declarator", Kind::Variable) => {
            node.child_by_field_name("name").filter(|name| name.kind() == "identifier").map(|_| kind)
        }
        _ => Some(kind),
    }
}
