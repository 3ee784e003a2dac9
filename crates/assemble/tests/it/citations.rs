//! Sources of the answer's texts.

use windlass_assemble::AssembleOptions;
use windlass_protocol::{Citation, CitationSource, Part};
use windlass_stream::{Chunk, RangeUnit};

use crate::script::{calls, run};

fn cite(url: &str, range: Option<std::ops::Range<usize>>, unit: RangeUnit) -> Chunk {
    Chunk::Citation { citation: Citation::new(CitationSource::Url(url.to_owned())).with_range(range), unit }
}

/// Returns each text with the passages that its citations support.
fn cited(chunks: impl IntoIterator<Item = Chunk>) -> Vec<(String, Vec<String>)> {
    let (_, answer) = run(AssembleOptions::default(), chunks.into_iter().chain([calls()]));
    let texts = answer.parts.iter().filter_map(|part| match part {
        Part::Text(text) => {
            let passages = text.citations.iter().map(|citation| text.passage(citation).to_owned());
            Some((text.text.clone(), passages.collect()))
        }
        _ => None,
    });
    texts.collect()
}

#[test]
fn a_citation_belongs_to_the_text_before_it() {
    let chunks = [
        cite("too early", None, RangeUnit::Bytes),
        Chunk::text("one"),
        cite("a", None, RangeUnit::Bytes),
        Chunk::TextEnd { opaque: None },
        Chunk::text("two"),
        Chunk::TextEnd { opaque: None },
        cite("b", None, RangeUnit::Bytes),
    ];
    let texts = [("one".to_owned(), vec!["one".to_owned()]), ("two".to_owned(), vec!["two".to_owned()])];
    assert_eq!(cited(chunks), texts);
}

#[test]
fn ranges_become_bytes_of_the_complete_text() {
    let chunks = [
        Chunk::text("über "),
        // The passage has not arrived yet.
        cite("a", Some(5..9), RangeUnit::Chars),
        cite("b", Some(0..5), RangeUnit::Bytes),
        cite("c", Some(0..4), RangeUnit::Chars),
        cite("d", Some(9..9), RangeUnit::Chars),
        Chunk::text("Züge"),
    ];
    let passages = ["Züge", "über", "über", ""].map(str::to_owned).to_vec();
    assert_eq!(cited(chunks), [("über Züge".to_owned(), passages)]);
}

#[test]
fn a_range_outside_of_the_text_means_the_whole_text() {
    let (start, end) = (5, 2);
    let ranges = [
        (Some(0..99), RangeUnit::Bytes),
        (Some(1..3), RangeUnit::Bytes),
        (Some(0..99), RangeUnit::Chars),
        (Some(99..100), RangeUnit::Chars),
        (Some(start..end), RangeUnit::Chars),
        (Some(start..end), RangeUnit::Bytes),
        (Some(0..usize::MAX), RangeUnit::Chars),
    ];
    for (range, unit) in ranges {
        let texts = cited([Chunk::text("üb"), cite("a", range.clone(), unit)]);
        assert_eq!(texts, [("üb".to_owned(), vec!["üb".to_owned()])], "{range:?} {unit:?}");
    }
}
