//! The shared catalogue, if it exists.

use windlass_testkit::{Need, corpora, require};

use crate::run;

// H1, H2: every case can be parsed and decided; `cargo xtask redteam` reports which ones hold.
#[test]
fn every_decision_of_the_shared_catalogue_is_made() {
    let file = require!(Need::Attacks, corpora::find_attacks("attacks.json"));
    let ended = run(&file, &["--mode", "decide"]);
    let (passed, failed, skipped) = ended.sums;
    println!("corpus: attacks, decide mode: {passed} of {} accepted, {skipped} skipped", passed + failed);
    assert!(passed > 100, "{:?}", ended.sums);
    let broken: Vec<_> = ended.cases.iter().filter(|case| case["observed"] == "nothing").collect();
    assert!(broken.is_empty(), "{broken:?}");
}
