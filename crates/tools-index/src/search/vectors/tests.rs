//! The stored vectors, and a damaged file of them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::{Key, Vector, Vectors, key, record_bytes};

fn open(folder: &Path, most: usize) -> Vectors {
    Vectors::new(folder.join("vectors"), "space", most)
}

fn entry(number: u16) -> (Key, Vector) {
    (key(&number.to_string()), Arc::from([f32::from(number), 1.0]))
}

fn keep(vectors: &Vectors, numbers: std::ops::Range<u16>) {
    vectors.keep(&numbers.map(entry).collect::<Vec<_>>()).unwrap();
}

/// Returns those of the first `most` numbers that the store has.
fn kept(vectors: &Vectors, most: u16) -> Vec<u16> {
    let all: Vec<u16> = (0..most).collect();
    let found = vectors.find(&all.iter().map(|number| entry(*number).0).collect::<Vec<_>>());
    all.into_iter().filter(|number| found.get(&entry(*number).0) == Some(&entry(*number).1)).collect()
}

fn file(folder: &Path) -> std::path::PathBuf {
    let mut all = fs::read_dir(folder.join("vectors")).unwrap().map(|entry| entry.unwrap().path());
    all.find(|path| path.extension().is_some_and(|ending| ending == "vectors")).unwrap()
}

#[test]
fn stored_vectors_are_found_by_other_processes() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (open(folder.path(), 1 << 20), open(folder.path(), 1 << 20));
    assert!(kept(&one, 9).is_empty());
    keep(&one, 0..2);
    assert_eq!(kept(&two, 9), [0, 1]);
    keep(&two, 1..4);
    assert_eq!(kept(&one, 9), [0, 1, 2, 3]);
    assert_eq!(kept(&open(folder.path(), 1 << 20), 9), [0, 1, 2, 3]);
    let other = Vectors::new(folder.path().join("vectors"), "another space", 1 << 20);
    assert!(kept(&other, 9).is_empty());
}

#[test]
fn a_damaged_vector_file_keeps_at_most_the_records_before_the_damage() {
    #[track_caller]
    fn check(change: impl Fn(&mut Vec<u8>), expected: &[u16]) {
        let folder = tempfile::tempdir().unwrap();
        keep(&open(folder.path(), 1 << 20), 0..3);
        let path = file(folder.path());
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
        assert_eq!(kept(&open(folder.path(), 1 << 20), 9), expected);
        keep(&open(folder.path(), 1 << 20), 7..8);
        let after: Vec<u16> = expected.iter().copied().chain([7]).collect();
        assert_eq!(kept(&open(folder.path(), 1 << 20), 9), after);
    }
    check(|_| {}, &[0, 1, 2]);
    check(Vec::clear, &[]);
    check(|bytes| bytes.truncate(10), &[]);
    check(|bytes| bytes[0] ^= 1, &[]);
    check(|bytes| bytes.truncate(bytes.len() - 1), &[0, 1]);
    check(|bytes| bytes.push(0), &[0, 1, 2]);
    check(
        |bytes| {
            let at = bytes.len() - 2 * record_bytes(2);
            bytes[at] ^= 1;
        },
        &[0],
    );
    check(
        |bytes| {
            let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
            bytes[end - 1] = b'0';
        },
        &[],
    );
    check(|bytes| bytes.resize(3 << 20, 0), &[]);
}

#[test]
fn stored_vectors_are_bounded_and_the_newest_stay() {
    let folder = tempfile::tempdir().unwrap();
    let most = 10 * record_bytes(2);
    for number in 0..100 {
        keep(&open(folder.path(), most), number..number + 1);
        assert!(fs::metadata(file(folder.path())).unwrap().len() <= most as u64 + 100);
    }
    let kept = kept(&open(folder.path(), most), 100);
    assert!((5..=10).contains(&kept.len()) && kept.last() == Some(&99), "{kept:?}");
}

#[test]
fn vectors_of_another_length_take_the_place_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = open(folder.path(), 1 << 20);
    keep(&vectors, 0..3);
    vectors.keep(&[(key("long"), Arc::from([1.0, 2.0, 3.0]))]).unwrap();
    assert!(kept(&vectors, 9).is_empty());
    assert_eq!(open(folder.path(), 1 << 20).find(&[key("long")]).len(), 1);
}
