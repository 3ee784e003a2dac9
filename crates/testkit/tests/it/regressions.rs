//! Replays every input that fuzzing found, and some that are known to be hard.

use std::path::Path;

use windlass_testkit::{corpora, oracle};

#[test]
#[expect(clippy::disallowed_methods, reason = "the inputs are found by their folder")]
fn inputs_found_by_fuzzing_stay_fixed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    let mut replayed = 0;
    for entry in std::fs::read_dir(&root).unwrap() {
        let folder = entry.unwrap().path();
        let target = folder.file_name().unwrap().to_string_lossy().into_owned();
        let oracle = oracle::find(&target).unwrap_or_else(|| panic!("no property is called {target}"));
        for (name, bytes) in corpora::files(&folder) {
            println!("{target}/{name}");
            oracle(&bytes);
            replayed += 1;
        }
    }
    println!("replayed {replayed} inputs");
    assert!(replayed >= oracle::names().len());
}

#[test]
fn every_fuzz_target_is_glue_over_a_property() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/fuzz_targets");
    let mut targets: Vec<String> =
        corpora::files(&root).into_iter().map(|(name, _)| name.trim_end_matches(".rs").to_owned()).collect();
    let mut names = oracle::names();
    names.sort_unstable();
    targets.sort_unstable();
    assert_eq!(targets, names);
}
