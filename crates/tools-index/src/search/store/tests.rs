//! Indexes that are damaged while they are used, and full disks.
#![expect(clippy::disallowed_methods, reason = "the tests leave files of an interrupted commit")]

use super::*;
use crate::search::index::Builder;
use std::fs;
use std::path::Path;

// The suspicion of correctness-3: of two processes that found the same broken index, the second discarded the
// index of the first.
#[test]
fn a_broken_index_is_rebuilt_once_for_concurrent_readers() {
    let all = tempfile::tempdir().unwrap();
    let folder = Folder::new(all.path(), Path::new("/project"));
    let reason = Some("broken");
    let [first, second] = [(), ()].map(|()| Store::open(&folder, &|| false).unwrap());
    // File systems count time in steps.
    thread::sleep(Duration::from_millis(20));
    let made = Store::remake(&folder, Some(&first), reason, &|| false).unwrap();
    assert_eq!(made.made, reason);
    let found = Store::remake(&folder, Some(&second), reason, &|| false).unwrap();
    assert_eq!((found.made, found.created_at), (None, made.created_at));
    // An index that is damaged again is rebuilt again.
    let again = Store::remake(&folder, Some(&found), reason, &|| false).unwrap();
    assert_eq!(again.made, reason);
}

// correctness-3 12: a full disk does not affect earlier commits.
#[test]
fn only_failures_of_the_content_make_an_index_broken() {
    for kind in [io::ErrorKind::StorageFull, io::ErrorKind::PermissionDenied, io::ErrorKind::QuotaExceeded] {
        assert!(matches!(Trouble::classify_read(kind.into()), Trouble::Folder(_)), "{kind}");
        assert!(matches!(Trouble::classify_write(kind.into()), Trouble::Folder(_)), "{kind}");
    }
    for kind in [io::ErrorKind::NotFound, io::ErrorKind::UnexpectedEof, io::ErrorKind::InvalidData] {
        assert!(matches!(Trouble::classify_read(kind.into()), Trouble::Broken(_)), "{kind}");
    }
}

// A crash between the steps of a commit leaves the last commit, and the next commit removes its files.
#[test]
fn a_commit_that_was_interrupted_changes_nothing() {
    let all = tempfile::tempdir().unwrap();
    let folder = Folder::new(all.path(), Path::new("/project"));
    let mut store = Store::open(&folder, &|| false).unwrap();
    let (place, first) = store.next_segment();
    let segment = |file: &str, number| {
        let mut builder = Builder::default();
        builder.add_file(file, Stamp::default(), &[]);
        builder.write(&place, number).unwrap()
    };
    store.commit(&[segment("a.rs", first)], &[], first + 1).unwrap();
    let names = |store: &Store| store.known.keys().cloned().collect::<Vec<_>>();
    // The segment and a part of the manifest are written, and the rename is missing.
    segment("b.rs", first + 1);
    fs::write(place.join("manifest.new"), "half").unwrap();
    let mut store = Store::open(&folder, &|| false).unwrap();
    assert_eq!((store.made, names(&store)), (None, vec!["a.rs".to_owned()]));
    // The number of the interrupted commit is used again.
    let (_, next) = store.next_segment();
    store.commit(&[segment("c.rs", next)], &["a.rs".to_owned()], next + 1).unwrap();
    let segments = fs::read_dir(&place).unwrap().flatten();
    let segments = segments.filter(|entry| entry.path().extension().is_some_and(|end| end == "segment"));
    assert_eq!(segments.count(), 1);
    let store = Store::open(&folder, &|| false).unwrap();
    assert_eq!((store.made, names(&store)), (None, vec!["c.rs".to_owned()]));
}

// A process that loaded a manifest may open its segments after another process has merged and removed them.
#[test]
fn a_reader_follows_the_commits_of_another_process() {
    let all = tempfile::tempdir().unwrap();
    let folder = Folder::new(all.path(), Path::new("/project"));
    let mut reader = Store::open(&folder, &|| false).unwrap();
    let mut writer = Store::open(&folder, &|| false).unwrap();
    for file in 0_u64..30 {
        let (place, next) = writer.next_segment();
        let mut builder = Builder::default();
        builder.add_file(&format!("f{file}.rs"), Stamp { len: file, ..Stamp::default() }, &[]);
        let record = builder.write(&place, next).unwrap();
        let gone: Vec<String> = file.checked_sub(20).map(|gone| format!("f{gone}.rs")).into_iter().collect();
        writer.commit(&[record], &gone, next + 1).unwrap();
        reader.reload().unwrap();
        assert_eq!(reader.known, writer.known);
        assert_eq!(reader.known.len() as u64, (file + 1).min(20));
    }
}
