//! Tests of large values beside a journal.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Durability, FileJournal, Journal, JournalError};

const PICTURE: usize = 300_000;

/// A journal with a small record, and two with the same picture.
fn journal() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run/journal");
    let mut journal = FileJournal::create(&path).unwrap();
    let picture = "QUJD".repeat(PICTURE / 3);
    for text in ["small", &picture, &picture] {
        journal.append_value(&text, 0, Durability::Buffered).unwrap();
    }
    (folder, path)
}

fn values(journal: &Path) -> Vec<PathBuf> {
    let folder = journal.with_file_name("journal-values");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn read(path: &Path) -> Result<Vec<String>, JournalError> {
    FileJournal::read(path)?.iter().map(crate::Record::read).collect()
}

#[test]
fn equal_large_values_are_one_file_with_the_hash_as_its_name() {
    let (_folder, path) = journal();
    assert!(fs::metadata(&path).unwrap().len() < 1_000);
    let [value] = values(&path).try_into().unwrap();
    let bytes = fs::read(&value).unwrap();
    assert_eq!(bytes, b"ABC".repeat(PICTURE / 3));
    assert_eq!(value.file_name().unwrap().to_str().unwrap(), crate::values::hash(&bytes));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&value), mode(value.parent().unwrap())), (0o600, 0o700));
    }
}

#[test]
fn a_reopened_journal_returns_the_whole_records_and_appends_more() {
    let (_folder, path) = journal();
    let (mut journal, _) = FileJournal::open(&path).unwrap();
    journal.append_value(&"z".repeat(PICTURE), 1, Durability::Synced).unwrap();
    drop(journal);
    let texts = read(&path).unwrap();
    assert_eq!(texts.iter().map(String::len).collect::<Vec<_>>(), [5, 400_000, 400_000, PICTURE]);
    assert!(texts[1].starts_with("QUJD") && texts[3].starts_with("zzz"));
    assert_eq!(values(&path).len(), 2);
}

#[test]
fn a_missing_and_a_changed_value_are_errors_that_name_the_file() {
    let (_folder, path) = journal();
    let [value] = values(&path).try_into().unwrap();
    let mut bytes = fs::read(&value).unwrap();
    bytes[7] ^= 1;
    fs::write(&value, &bytes).unwrap();
    let error = read(&path).unwrap_err();
    assert!(matches!(&error, JournalError::ValueChanged { path } if *path == value), "{error}");
    // The next append of the value replaces the changed file.
    let (mut journal, _) = FileJournal::open(&path).unwrap();
    journal.append_value(&"QUJD".repeat(PICTURE / 3), 1, Durability::Synced).unwrap();
    assert_eq!(journal.records().unwrap().len(), 4);
    bytes.push(0);
    fs::write(&value, &bytes).unwrap();
    assert!(matches!(read(&path), Err(JournalError::ValueChanged { .. })));
    fs::remove_file(&value).unwrap();
    let error = read(&path).unwrap_err();
    assert!(matches!(&error, JournalError::ValueMissing { path } if *path == value), "{error}");
}

#[test]
fn a_reference_does_not_leave_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    fs::create_dir(folder.path().join("journal-values")).unwrap();
    fs::write(folder.path().join("secret"), "1").unwrap();
    let json =
        r#"{"seq":0,"at_ms":0,"body":null,"values":[{"at":0,"sha256":"../secret","len":1,"form":"json"}]}"#;
    let line = format!("{:08x} {} {json}\n", crate::crc32c::crc32c(json.as_bytes()), json.len());
    fs::write(&path, line).unwrap();
    assert!(matches!(FileJournal::read(&path), Err(JournalError::ValueMissing { .. })));
}

#[test]
fn a_write_that_a_crash_cut_off_is_repeated() {
    let (_folder, path) = journal();
    let [value] = values(&path).try_into().unwrap();
    let part = value.with_extension("part");
    fs::rename(&value, &part).unwrap();
    fs::write(&part, "half").unwrap();
    let (mut journal, _) = FileJournal::open(&path).unwrap();
    journal.append_value(&"QUJD".repeat(PICTURE / 3), 1, Durability::Synced).unwrap();
    assert_eq!(values(&path), [value]);
    assert_eq!(read(&path).unwrap().len(), 4);
}
