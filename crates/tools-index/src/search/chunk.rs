//! Division of a file into chunks: one for each symbol, and the text between symbols.

use crate::outline::Outline;
use crate::symbol::{Kind, Symbol};

/// Maximum number of lines in a chunk.
const MAX_LINES: usize = 80;
/// Maximum number of lines of one-line declarations that share a chunk: a single one contains too few words.
const GROUP_LINES: usize = 20;

/// A range of lines, counted from 1, with the symbol that starts there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk<'o> {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) symbol: Option<&'o Symbol>,
    /// Further one-line declarations in the chunk.
    pub(super) also: Vec<&'o Symbol>,
}

/// Divides a file at the starts of its symbols. Every line is in exactly one chunk.
pub(super) fn chunks(outline: &Outline, lines: usize) -> Vec<Chunk<'_>> {
    let mut starts: Vec<(usize, Option<&Symbol>)> = vec![(1, None)];
    let symbols = outline.symbols.iter().map(|symbol| (symbol.start, Some(symbol)));
    starts.extend(symbols.filter(|(start, _)| (1..=lines).contains(start)));
    // The first symbol on a line has precedence over other symbols there and over the anonymous start of the
    // file.
    starts.sort_by_key(|(start, symbol)| (*start, symbol.is_none()));
    starts.dedup_by_key(|(start, _)| *start);
    let mut begins: Vec<Chunk<'_>> = Vec::new();
    for (first, symbol) in starts {
        let open = begins.last_mut().filter(|open| first < open.first.saturating_add(GROUP_LINES));
        match (open, symbol) {
            (Some(open), Some(symbol)) if is_small(symbol) && open.symbol.is_some_and(is_small) => {
                open.also.push(symbol);
            }
            _ => begins.push(Chunk { first, last: first, symbol, also: Vec::new() }),
        }
    }
    let ends = begins.iter().skip(1).map(|begin| begin.first.saturating_sub(1)).chain([lines]);
    let ends: Vec<usize> = ends.collect();
    let mut chunks = Vec::new();
    for (mut chunk, end) in begins.into_iter().zip(ends) {
        let mut also = std::mem::take(&mut chunk.also);
        while chunk.first <= end {
            let last = end.min(chunk.first.saturating_add(MAX_LINES - 1));
            chunks.push(Chunk { last, also: std::mem::take(&mut also), ..chunk.clone() });
            chunk.first = last.saturating_add(1);
        }
    }
    chunks
}

fn is_small(symbol: &Symbol) -> bool {
    symbol.first == symbol.last
        && matches!(symbol.kind, Kind::Constant | Kind::Field | Kind::Macro | Kind::Type | Kind::Variable)
}

#[cfg(test)]
mod tests {
    use super::chunks;
    use crate::outline::outline;

    #[track_caller]
    fn check(source: &str, expected: &[(usize, usize, &str)]) {
        let outline = outline("a.py".as_ref(), source.as_bytes(), &|| false);
        let found = chunks(&outline, outline.lines.total);
        let found: Vec<_> = found
            .iter()
            .map(|chunk| (chunk.first, chunk.last, chunk.symbol.map_or("", |symbol| symbol.name.as_str())))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_line_is_in_one_chunk() {
        check("", &[]);
        check("x()\n", &[(1, 1, "")]);
        check(
            "import a\n\ndef f():\n    pass\ndef g():\n    pass\n",
            &[(1, 2, ""), (3, 4, "f"), (5, 6, "g")],
        );
        check("def f():\n    pass\n", &[(1, 2, "f")]);
        check("A = 1\nB = 2\n\n# of C\nC = 3\ndef f():\n    pass\n", &[(1, 5, "A"), (6, 7, "f")]);
        let constants = "A = 1\n".repeat(41);
        check(&constants, &[(1, 20, "A"), (21, 40, "A"), (41, 41, "A")]);
        let long = format!("def f():\n{}", "    x()\n".repeat(100));
        check(&long, &[(1, 80, "f"), (81, 101, "f")]);
    }
}
