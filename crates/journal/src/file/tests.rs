//! The content of the disk after failures.

use std::fs;

use windlass_redact::Redactor;

use super::FileJournal;
use super::recovery::Tail;
use crate::{Durability, Journal, JournalError, Redacting};

fn journal_of(texts: &[&str]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs/one.journal");
    let mut journal = FileJournal::create(&path).unwrap();
    for (at, text) in texts.iter().enumerate() {
        journal.append_value(text, at as u64, Durability::Synced).unwrap();
    }
    (folder, path)
}

fn texts(path: &std::path::Path) -> Vec<String> {
    FileJournal::read(path).unwrap().iter().map(|record| record.read().unwrap()).collect()
}

#[test]
fn appended_records_are_read_back() {
    let (_folder, path) = journal_of(&["a", "b\nwith a line break", "ü"]);
    assert_eq!(texts(&path), ["a", "b\nwith a line break", "ü"]);
}

// R5: the file on disk is valid at every crash point.
#[test]
fn a_truncated_journal_keeps_whole_records_and_accepts_appends() {
    let (_folder, path) = journal_of(&["first", "second", "third"]);
    let bytes = fs::read(&path).unwrap();
    let ends: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for cut in 0..=bytes.len() {
        fs::write(&path, &bytes[..cut]).unwrap();
        let whole = ends.iter().filter(|end| **end <= cut).count();
        let (mut journal, tail) = FileJournal::open(&path).unwrap();
        assert_eq!(tail == Tail::Whole, cut == 0 || ends.contains(&cut), "cut at {cut}");
        journal.append_value(&"after", 9, Durability::Buffered).unwrap();
        drop(journal);
        let mut expected = ["first", "second", "third"][..whole].to_vec();
        expected.push("after");
        assert_eq!(texts(&path), expected, "cut at {cut}");
    }
}

// correctness 22: a changed byte in the last line is an error too. The line was synced before its call ran, so
// dropping it would run the call again (R6).
#[test]
fn a_changed_byte_anywhere_is_an_error_that_names_the_line() {
    let (_folder, path) = journal_of(&["first", "second", "third"]);
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            fs::write(&path, &bytes).unwrap();
            let damaged = bytes[..at].split(|byte| *byte == b'\n').count();
            for error in [FileJournal::read(&path).unwrap_err(), FileJournal::open(&path).unwrap_err()] {
                let JournalError::Damaged { line, .. } = error else { panic!("byte {at}: {error}") };
                assert_eq!(line, damaged, "byte {at}");
            }
            assert_eq!(fs::read(&path).unwrap(), bytes, "a damaged file stays as it is");
        }
    }
}

// F34: flipped, cut or zeroed bytes cause no panic, and every record before them is kept.
#[test]
fn no_damage_loses_a_record_before_it() {
    let (folder, path) = journal_of(&["first", "second", "third"]);
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for at in 0..whole.len() {
        for damage in [1_u8, 0x80, whole[at]] {
            let mut bytes = whole.clone();
            bytes[at] ^= damage;
            fs::write(&path, &bytes).unwrap();
            let before = ends.iter().filter(|end| **end <= at).count();
            let (mut journal, salvaged) = FileJournal::salvage(&path).unwrap();
            // A crash cannot change a byte of a complete line, so the damage is reported and the original file is
            // kept.
            let salvaged = salvaged.unwrap();
            assert_eq!(fs::read(&salvaged.copy).unwrap(), bytes, "nothing is thrown away");
            fs::remove_file(salvaged.copy).unwrap();
            journal.append_value(&"after", 9, Durability::Synced).unwrap();
            drop(journal);
            let mut expected = ["first", "second", "third"][..before].to_vec();
            expected.push("after");
            assert_eq!(texts(&path), expected, "byte {at}");
        }
    }
    drop(folder);
}

// F34: a machine that lost power may leave zeros at the end.
#[test]
fn zeros_at_the_end_are_a_cut_record() {
    let (_folder, path) = journal_of(&["first", "second"]);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend([0; 4096]);
    fs::write(&path, &bytes).unwrap();
    let (_, tail) = FileJournal::open(&path).unwrap();
    assert_eq!(tail, Tail::Torn { bytes: 4096 });
    assert_eq!(texts(&path), ["first", "second"]);
    // The block with the line feed was written, the ones before it were not.
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend([0; 4096]);
    bytes.push(b'\n');
    fs::write(&path, &bytes).unwrap();
    let (_, tail) = FileJournal::open(&path).unwrap();
    assert_eq!(tail, Tail::Torn { bytes: 4097 });
    assert_eq!(texts(&path), ["first", "second"]);
}

#[test]
fn an_undamaged_file_is_not_salvaged() {
    let (folder, path) = journal_of(&["first", "second"]);
    let (_journal, salvaged) = FileJournal::salvage(&path).unwrap();
    assert_eq!(salvaged, None);
    assert_eq!(fs::read_dir(folder.path().join("runs")).unwrap().count(), 1);
}

#[test]
fn a_second_writer_is_refused() {
    let (_folder, path) = journal_of(&["first"]);
    let (_held, _) = FileJournal::open(&path).unwrap();
    assert!(matches!(FileJournal::open(&path), Err(JournalError::Locked { .. })));
}

#[test]
fn a_journal_is_never_made_over_another() {
    let (_folder, path) = journal_of(&["first"]);
    assert!(matches!(FileJournal::create(&path), Err(JournalError::Io { doing: "made", .. })));
    assert_eq!(texts(&path), ["first"]);
}

#[cfg(unix)]
#[test]
fn only_the_user_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = journal_of(&["first"]);
    assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
}

// SEC-009: other users cannot read the record of a run.
#[cfg(unix)]
#[test]
fn only_the_user_can_read_a_journal_and_its_folders() {
    use std::os::unix::fs::PermissionsExt;

    let (folder, path) = journal_of(&["first"]);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&folder.path().join("runs")), 0o700);
    let deep = folder.path().join("a/b/c.journal");
    FileJournal::create(&deep).unwrap();
    assert_eq!(mode(&folder.path().join("a")), 0o700);
    assert_eq!(mode(&folder.path().join("a/b")), 0o700);
}

// I6: a journal does not contain a registered secret, independent of its writer and its encoding.
#[test]
fn a_redacting_journal_keeps_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.journal");
    let secret = "p\"w/ü 12345";
    let mut journal = Redacting::new(FileJournal::create(&path).unwrap(), Redactor::new([secret.into()]));
    let nested = serde_json::json!({ "arguments": serde_json::json!({ "key": secret }).to_string() });
    for body in [serde_json::json!([secret, { secret: 1 }]), nested, serde_json::json!("plain")] {
        journal.append_value(&body, 0, Durability::Synced).unwrap();
    }
    let text = fs::read_to_string(&path).unwrap();
    for form in [secret, "p\\\"w/ü", "p\\\\\\\"w/ü", "12345"] {
        assert!(!text.contains(form), "{form} is in {text}");
    }
    let records: Vec<serde_json::Value> =
        journal.records().unwrap().iter().map(|record| record.read().unwrap()).collect();
    assert_eq!(records[0], serde_json::json!(["[redacted]", { "[redacted]": 1 }]));
    assert_eq!(records[1]["arguments"], "{\"key\":\"[redacted]\"}");
    assert_eq!(records[2], "plain");
}
