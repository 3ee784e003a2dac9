//! Rules that name links: the links are looked at for each call, and once more before it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use windlass_hitl::{Action, Policy, Rule, RuleFile, Source};

use crate::scene::{Scene, way};

const ONCE: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "r1", "name": "look", "arguments": {}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

/// Returns how often the tool that reads `a` ran while a denied link leads to these places, one for each
/// inspection.
async fn ran(places: &'static [&'static str]) -> usize {
    let mut file = RuleFile::default();
    file.rules.push(Rule::new("no", Action::Deny).with_path("pub/**"));
    let looks = Arc::new(AtomicUsize::new(0));
    let policy = Policy::default().with_file(Source::User, file).unwrap().with_link_resolver(move |_| {
        let look = looks.fetch_add(1, Ordering::SeqCst);
        places.get(look).or(places.last()).map(|&place| place.to_owned())
    });
    let scene = Scene::new(ONCE, way());
    let report = scene.builder().policy(policy).build().unwrap().stream("task").report().await.unwrap();
    assert_eq!(report.text(), Some("done"));
    scene.read.calls.load(Ordering::SeqCst)
}

#[tokio::test]
async fn a_rule_applies_to_the_current_target_of_a_link() {
    assert_eq!(ran(&["elsewhere"]).await, 1);
    assert_eq!(ran(&["a"]).await, 0, "the rule denies what the link leads to");
    assert_eq!(ran(&["elsewhere", "a"]).await, 0, "the link was exchanged after the call was decided");
}
