//! A file in pieces of a size that is worth showing: a symbol each, and what lies between them.

use crate::outline::Outline;
use crate::symbol::Symbol;

/// How many lines a piece has at the most.
const MAX_LINES: usize = 80;

/// Lines of a file, counted from 1, with the symbol that begins there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk<'o> {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) symbol: Option<&'o Symbol>,
}

/// Cuts a file at the begins of its symbols, so that each line is in one piece.
pub(super) fn chunks(outline: &Outline, lines: usize) -> Vec<Chunk<'_>> {
    let mut starts: Vec<(usize, Option<&Symbol>)> = vec![(1, None)];
    let symbols = outline.symbols.iter().map(|symbol| (symbol.start, Some(symbol)));
    starts.extend(symbols.filter(|(start, _)| (1..=lines).contains(start)));
    // The first symbol that begins on a line has it, and takes it from the nameless begin of the file.
    starts.sort_by_key(|(start, symbol)| (*start, symbol.is_none()));
    starts.dedup_by_key(|(start, _)| *start);
    let ends = starts.iter().skip(1).map(|(start, _)| start.saturating_sub(1)).chain([lines]);
    let mut chunks = Vec::new();
    for ((start, symbol), end) in starts.iter().zip(ends) {
        let mut first = *start;
        while first <= end {
            let last = end.min(first.saturating_add(MAX_LINES - 1));
            chunks.push(Chunk { first, last, symbol: *symbol });
            first = last.saturating_add(1);
        }
    }
    chunks
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
        let long = format!("def f():\n{}", "    x()\n".repeat(100));
        check(&long, &[(1, 80, "f"), (81, 101, "f")]);
    }
}
