//! Files of killed writers, damaged files, two writers, and the growth of a file.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::TempDir;

use super::{RecordFile, RecordFileError, RecordKeeper, Records};

/// Numbers by name.
#[derive(Debug, Default, PartialEq)]
struct Numbers(BTreeMap<String, u64>);

impl Records for Numbers {
    const KIND: &'static str = "numbers 2";

    type Record = (String, u64);

    fn apply(&mut self, (name, number): (String, u64)) {
        self.0.insert(name, number);
    }

    fn list(&self) -> impl Iterator<Item = (String, u64)> {
        self.0.iter().map(|(name, number)| (name.clone(), *number))
    }

    fn count(&self) -> usize {
        self.0.len()
    }
}

impl<R: Records> RecordKeeper<R> {
    /// Makes writes fail, or work again.
    pub(crate) fn open_journal(&mut self, options: &fs::OpenOptions, path: &Path) {
        self.journal.as_mut().unwrap().set_file(options.open(path).unwrap());
    }
}

impl RecordKeeper<Numbers> {
    /// Returns false if the change is needed in the file and is not there.
    fn set(&mut self, name: &str, number: u64) -> bool {
        self.records.apply((name.to_owned(), number));
        self.store(|| (name.to_owned(), number))
    }

    fn count(&self) -> usize {
        self.records.count()
    }
}

fn open(path: &Path) -> (RecordKeeper<Numbers>, RecordFile) {
    let mut kept = RecordKeeper::default();
    let file = kept.open(path).unwrap();
    (kept, file)
}

fn folder() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers.jsonl");
    (folder, path)
}

#[test]
fn a_file_belongs_to_one_writer_at_a_time() {
    let (_folder, path) = folder();
    let (mut kept, _) = open(&path);
    kept.set("a", 1);
    let refused = RecordKeeper::<Numbers>::default().open(&path);
    assert!(matches!(refused, Err(RecordFileError::InUse)), "{refused:?}");
    // Also after the file was replaced.
    for number in 0..5_000 {
        kept.set("a", number);
    }
    let refused = RecordKeeper::<Numbers>::default().open(&path);
    assert!(matches!(refused, Err(RecordFileError::InUse)), "{refused:?}");
    drop(kept);
    assert_eq!(open(&path).0.records.0["a"], 4_999);
}

#[test]
fn a_file_of_another_kind_or_version_is_refused_and_stays() {
    let (_folder, path) = folder();
    let later = "{\"windlass\":\"numbers 3\"}\n[\"a\",\"new\"]\n";
    fs::write(&path, later).unwrap();
    let mut kept = RecordKeeper::<Numbers>::default();
    let error = kept.open(&path).unwrap_err().to_string();
    assert_eq!(error, "the file has numbers 3, which this version does not read");
    assert_eq!((kept.records, fs::read_to_string(&path).unwrap().as_str()), (Numbers::default(), later));
}

#[test]
fn damaged_lines_are_left_out_counted_and_kept_in_a_copy() {
    let long = "x".repeat(100_000);
    let lines = ["[\"a\",1]", "[\"b\",", "\u{0}\u{0}", &long, "[\"c\",3]"];
    for head in ["{\"windlass\":\"numbers 2\"}", "{\"wind"] {
        let (_folder, path) = folder();
        let text = format!("{head}\n{}\n", lines.join("\n"));
        fs::write(&path, &text).unwrap();
        let (kept, file) = open(&path);
        let damaged = if head.ends_with('}') { 3 } else { 4 };
        assert_eq!(kept.records.0, BTreeMap::from([("a".into(), 1), ("c".into(), 3)]));
        assert_eq!((file.count_damaged_lines(), file.failures()), (damaged, 0));
        assert_eq!(fs::read_to_string(file.backup_path()).unwrap(), text);
        drop(kept);
        let (kept, file) = open(&path);
        assert_eq!((kept.count(), file.count_damaged_lines()), (2, 0));
    }
}

/// A failed write can leave a part of a line, to which the next one must not be appended.
#[test]
fn a_write_after_a_failed_one_starts_a_new_line() {
    let (_folder, path) = folder();
    let (mut kept, file) = open(&path);
    kept.set("a", 1);
    kept.open_journal(File::options().read(true), &path);
    kept.set("b", 2);
    assert_eq!(file.failures(), 1);
    // The file cannot be replaced.
    fs::create_dir(path.with_extension("jsonl.new")).unwrap();
    let mut torn = fs::read(&path).unwrap();
    torn.extend(b"[\"b\",");
    fs::write(&path, torn).unwrap();
    kept.open_journal(File::options().append(true), &path);
    kept.set("c", 3);
    kept.set("b", 4);
    assert_eq!(file.failures(), 2);
    drop(kept);
    fs::remove_dir(path.with_extension("jsonl.new")).unwrap();
    let (kept, _) = open(&path);
    let expected = [("a", 1), ("b", 4), ("c", 3)].map(|(name, number)| (name.to_owned(), number));
    assert_eq!(kept.records.0, BTreeMap::from(expected));
}

#[cfg(target_os = "linux")]
#[test]
fn changes_on_a_full_disk_are_refused_and_in_the_file_when_it_has_room_again() {
    let (_folder, path) = folder();
    let (mut kept, file) = open(&path);
    assert!(kept.set("a", 1));
    for is_optional in [false, true] {
        kept.open_journal(File::options().append(true), Path::new("/dev/full"));
        for name in ["b", "c"] {
            assert_eq!(kept.set(name, 2), is_optional);
        }
        file.answer_unrecorded();
        kept.open_journal(File::options().append(true), &path);
        assert!(kept.set("a", 3));
        let lines = fs::read_to_string(&path).unwrap();
        assert_eq!(lines, "{\"windlass\":\"numbers 2\"}\n[\"a\",3]\n[\"b\",2]\n[\"c\",2]\n");
    }
    assert_eq!(file.failures(), 4);
}

#[test]
fn a_file_grows_with_its_records_and_not_with_their_changes() {
    for (names, changes) in [(1, 30_000), (1_000, 30_000), (5_000, 60_000)] {
        let (_folder, path) = folder();
        let (mut kept, _) = open(&path);
        let mut largest = 0;
        for number in 0..changes {
            kept.set(&format!("{:08}", number % names), 10_000_000 + number);
            if number % 64 == 0 {
                largest = largest.max(fs::metadata(&path).unwrap().len());
            }
        }
        // A line has 22 bytes, and the first one 25.
        let bound = 25 + 22 * (2 * names + super::journal::SPARE_LINES as u64 + 1);
        assert!(largest <= bound, "{names} names: {largest} bytes, at most {bound}");
        assert!(largest > bound / 2, "{names} names: {largest} bytes of {bound}");
        drop(kept);
        assert_eq!(open(&path).0.count() as u64, names);
        assert_eq!(fs::metadata(&path).unwrap().len(), 25 + 22 * names);
    }
}

#[cfg(unix)]
#[test]
fn only_its_user_can_read_a_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_folder, path) = folder();
    let (mut kept, _) = open(&path);
    for number in 0..2_000 {
        kept.set("a", number);
    }
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

proptest! {
    /// A killed process, or a full disk, cuts a file anywhere.
    #[test]
    fn each_beginning_of_a_file_has_the_first_changes(
        changes in vec(("[a-c\u{e9}\"\n]{1,4}", any::<u64>()), 0..20),
        cut in any::<prop::sample::Index>(),
    ) {
        let (_folder, path) = folder();
        let (mut kept, _) = open(&path);
        let mut states = vec![Numbers::default()];
        for (name, number) in &changes {
            kept.set(name, *number);
            states.push(Numbers(kept.records.0.clone()));
        }
        drop(kept);
        let text = fs::read(&path).unwrap();
        let length = cut.index(text.len().saturating_add(1));
        fs::write(&path, &text[..length]).unwrap();
        let (mut kept, file) = open(&path);
        prop_assert!(states.contains(&kept.records), "{:?} of {changes:?}", kept.records);
        if length == text.len() {
            prop_assert_eq!(&kept.records, states.last().unwrap());
        }
        let has_head = length == 0 || text[..length].contains(&b'\n');
        prop_assert_eq!(file.count_damaged_lines(), usize::from(!has_head));
        // The file continues.
        kept.set("next", 7);
        let next = Numbers(kept.records.0.clone());
        drop(kept);
        prop_assert_eq!(open(&path).0.records, next);
    }
}
