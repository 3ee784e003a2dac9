//! Where runs are kept, as a path that others can compare and mount.

use std::path::Path;

use super::normalize;

#[test]
fn a_path_is_normalized_whether_or_not_it_exists() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    std::fs::create_dir(real.join("a")).unwrap();
    for (told, meant) in [("a/../b", "b"), ("a/./c/../../d", "d"), ("a", "a"), ("a/../a", "a")] {
        assert_eq!(normalize(&real.join(told)), real.join(meant), "{told}");
    }
    assert!(normalize(Path::new("state")).is_absolute());
}
