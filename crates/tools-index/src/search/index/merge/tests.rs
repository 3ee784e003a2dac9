//! Segments after merges have the content of the files that are not removed.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;
use windlass_testkit::growth::{self, MEGABYTE, Shape};

use super::*;
use crate::search::index::{Builder, Field, Piece, Stamp, mark_removed};

const WORDS: [&str; 6] = ["alpha", "alphabet", "beta", "gamma", "delta", "epsilon"];

/// Chunks by path and line, with their number of occurrences of a word.
type Places = BTreeMap<(String, u32), u32>;

fn piece(first: usize, body: &str) -> Piece {
    let titles = vec![format!("title_{body}")];
    Piece {
        first,
        last: first,
        language: Some("rust"),
        label: "function f".to_owned(),
        titles,
        body: body.to_owned(),
    }
}

fn places(parts: &[Part], field: Field, word: &str) -> Places {
    let mut found = Places::new();
    for part in parts {
        let (rows, list) = (&part.segment.rows, part.segment.find(field, word).unwrap());
        assert_eq!(list.iter().count() as u64, list.count);
        for (chunk, frequency) in list.iter() {
            let chunk = &rows.chunks[chunk as usize];
            assert_eq!((rows.language(chunk), rows.label(chunk)), (Some("rust"), "function f"));
            if part.has(chunk.file) {
                let path = rows.file(chunk).unwrap().path.clone();
                assert_eq!(found.insert((path, chunk.first), frequency), None);
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    // Each step writes some files as a segment, which replace those of the same names.
    #[test]
    fn terms_are_found_after_any_commits_and_merges(
        steps in prop::collection::vec(prop::collection::vec((0_u8..12, prop::collection::vec(0_usize..6, 0..9)), 1..4), 1..24),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (mut parts, mut next) = (Vec::new(), 0);
        let mut model: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for files in steps {
            let files: BTreeMap<String, Vec<usize>> =
                files.into_iter().map(|(name, words)| (format!("f{name}.rs"), words)).collect();
            let mut builder = Builder::default();
            for (path, words) in &files {
                let body = |part: &[usize]| part.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ");
                let pieces: Vec<Piece> =
                    words.chunks(4).enumerate().map(|(line, words)| piece(line + 1, &body(words))).collect();
                builder.add_file(path, Stamp::default(), &pieces);
            }
            let record = builder.write(folder.path(), next).unwrap();
            mark_removed(&mut parts, &files.keys().map(String::as_str).collect::<HashSet<_>>());
            parts.push(Part::new(Arc::new(Segment::open(folder.path(), &record).unwrap()), &record));
            next = compact(folder.path(), &mut parts, next + 1).unwrap();
            model.extend(files);
            prop_assert!(parts.len() <= MAX_PARTS);
        }
        let mut paths: Vec<&str> = parts.iter().flat_map(Part::files).map(|file| file.path.as_str()).collect();
        paths.sort_unstable();
        prop_assert_eq!(paths, model.keys().map(String::as_str).collect::<Vec<_>>());
        for (index, word) in WORDS.iter().enumerate() {
            let mut expected = Places::new();
            for (path, words) in &model {
                for (line, words) in words.chunks(4).enumerate() {
                    let count = words.iter().filter(|word| **word == index).count();
                    if count > 0 {
                        expected.insert((path.clone(), small(line + 1)), small(count));
                    }
                }
            }
            prop_assert_eq!(places(&parts, Field::Body, word), expected, "{}", word);
        }
        prop_assert!(places(&parts, Field::Body, "alph").is_empty());
    }
}

#[test]
fn more_terms_than_a_block_holds_are_found_in_each_field() {
    let folder = tempfile::tempdir().unwrap();
    let mut builder = Builder::default();
    for file in 0..200 {
        builder.add_file(&format!("p{file}.rs"), Stamp::default(), &[piece(1, &format!("w{file} common"))]);
    }
    let record = builder.write(folder.path(), 0).unwrap();
    let parts = [Part::new(Arc::new(Segment::open(folder.path(), &record).unwrap()), &record)];
    for file in 0..200 {
        for (field, word) in [(Field::Body, format!("w{file}")), (Field::Path, format!("p{file}"))] {
            let found = places(&parts, field, &word);
            assert_eq!(found.into_keys().collect::<Vec<_>>(), [(format!("p{file}.rs"), 1)], "{word}");
        }
    }
    assert_eq!(places(&parts, Field::Body, "common").len(), 200);
    assert_eq!(places(&parts, Field::Title, "title").len(), 200);
    assert!(places(&parts, Field::Body, "a").is_empty() && places(&parts, Field::Body, "zz").is_empty());
}

#[test]
fn small_segments_are_merged_and_a_large_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (mut parts, mut next) = (Vec::new(), 0);
    let mut commit = |files: std::ops::Range<usize>| {
        let mut builder = Builder::default();
        for file in files {
            builder.add_file(&format!("f{file}.rs"), Stamp::default(), &[piece(1, "alpha")]);
        }
        let record = builder.write(folder.path(), next).unwrap();
        parts.push(Part::new(Arc::new(Segment::open(folder.path(), &record).unwrap()), &record));
        next = compact(folder.path(), &mut parts, next + 1).unwrap();
        (parts.len(), parts[0].segment.record.number)
    };
    assert_eq!(commit(0..1_000), (1, 0));
    for file in 1_000..1_200 {
        let (count, first) = commit(file..file + 1);
        assert!(count <= MAX_PARTS && first == 0, "{count} parts, the first is {first}");
    }
}

#[test]
fn segments_are_written_and_merged_in_linear_time() {
    let shapes =
        ["a ", "w{n} ", "camelCase{n}Word\n", "a{n}.b{n}(c)\n", "a", "\u{e9}{n} "].map(Shape::repeat);
    let test = "search::index::merge::tests::segments_are_written_and_merged_in_linear_time";
    growth::check(test, MEGABYTE / 4, &shapes, |text| {
        let folder = tempfile::tempdir().unwrap();
        let (mut parts, mut next) = (Vec::new(), 0);
        // Two parts, each with files of one chunk of four kilobytes.
        let middle = text.floor_char_boundary(text.len() / 2);
        let (first, second) = text.split_at(middle);
        for half in [first, second] {
            let mut builder = Builder::default();
            let mut rest = half;
            while !rest.is_empty() {
                let (body, after) = rest.split_at(rest.floor_char_boundary(4_096).max(1));
                builder.add_file(&format!("f{next}-{}.rs", rest.len()), Stamp::default(), &[piece(1, body)]);
                rest = after;
            }
            let record = builder.write(folder.path(), next).unwrap();
            parts.push(Part::new(Arc::new(Segment::open(folder.path(), &record).unwrap()), &record));
            next += 1;
        }
        let record = merge(folder.path(), &parts, next).unwrap();
        let merged = Part::new(Arc::new(Segment::open(folder.path(), &record).unwrap()), &record);
        assert!(!places(&[merged], Field::Path, "rs").is_empty());
    });
}
