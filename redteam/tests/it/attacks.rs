//! The shared catalogue, where it is there.

use std::path::PathBuf;

use crate::run;

fn file() -> Option<PathBuf> {
    let named = std::env::var_os("WINDLASS_ATTACKS").map(PathBuf::from);
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/attacks");
    Some(named.unwrap_or_else(|| beside.into()).join("attacks.json")).filter(|file| file.is_file())
}

// H1, H2: every case can be read and decided; which of them hold is for `cargo xtask redteam` to say.
#[test]
fn every_decision_of_the_shared_catalogue_is_made() {
    let Some(file) = file() else {
        println!("skipped: no shared catalogue of attacks; WINDLASS_ATTACKS may name its folder");
        return;
    };
    let ended = run(&file, &["--mode", "decide"]);
    let (passed, failed, skipped) = ended.sums;
    println!("corpus: attacks, decide mode: {passed} of {} accepted, {skipped} skipped", passed + failed);
    assert!(passed > 100, "{:?}", ended.sums);
    let broken: Vec<_> = ended.cases.iter().filter(|case| case["observed"] == "nothing").collect();
    assert!(broken.is_empty(), "{broken:?}");
}
