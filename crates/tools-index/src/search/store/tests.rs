//! Indexes that break while they are used, and disks that are full.

use std::path::Path;
use std::sync::Arc;

use super::*;

// The suspicion of correctness-3: of two processes that met the same broken index, the second threw away what
// the first had made.
#[test]
fn an_index_is_made_anew_once_for_all_who_met_the_broken_one() {
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
    // The one that broke again is made anew again.
    let again = Store::remake(&folder, Some(&found), reason, &|| false).unwrap();
    assert_eq!(again.made, reason);
}

// correctness-3 12: a full disk says nothing about what was committed before.
#[test]
fn only_failures_of_the_content_make_an_index_broken() {
    let of = |kind: io::ErrorKind| TantivyError::IoError(Arc::new(io::Error::from(kind)));
    for kind in [io::ErrorKind::StorageFull, io::ErrorKind::PermissionDenied, io::ErrorKind::QuotaExceeded] {
        assert!(matches!(Trouble::from(of(kind)), Trouble::Folder(_)), "{kind}");
        assert!(matches!(Trouble::classify_write(of(kind)), Trouble::Folder(_)), "{kind}");
    }
    for kind in [io::ErrorKind::NotFound, io::ErrorKind::UnexpectedEof, io::ErrorKind::InvalidData] {
        assert!(matches!(Trouble::from(of(kind)), Trouble::Broken(_)), "{kind}");
    }
}
