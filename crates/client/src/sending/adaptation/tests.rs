//! An attempt adapts to each refused parameter once.

use windlass_vendors::ParameterRejection;

use super::Adaptation;

fn rejection(parameter: &str, message: &str) -> ParameterRejection {
    let stored = serde_json::json!({
        "parameter": parameter, "remedy": "drop", "message": message, "learned_at": 7,
    });
    serde_json::from_value(stored).unwrap()
}

fn parameters(adaptation: &Adaptation) -> Vec<&str> {
    adaptation.rejections().iter().map(|held| held.parameter.as_str()).collect()
}

#[test]
fn an_attempt_adapts_once_to_each_parameter() {
    let mut adaptation = Adaptation::new(vec![rejection("seed", "no seed")]);
    assert!(!adaptation.adapt(&rejection("seed", "still no seed")), "a known rejection did not help");
    assert!(adaptation.adapt(&rejection("top_p", "no top_p")));
    assert!(!adaptation.adapt(&rejection("top_p", "again")));
    assert_eq!(parameters(&adaptation), ["seed", "top_p"]);
    let learned = adaptation.into_learned();
    assert_eq!(learned, [rejection("top_p", "no top_p")]);
}

#[test]
fn a_failed_remedy_is_undone_and_not_repeated() {
    let mut adaptation = Adaptation::new(vec![rejection("seed", "it does not work")]);
    assert!(adaptation.adapt(&rejection("top_p", "it does not work")));
    assert_eq!(parameters(&adaptation), ["seed", "top_p"], "a known rejection is never undone");
    assert!(adaptation.adapt(&rejection("stop", "it does not work")));
    assert_eq!(parameters(&adaptation), ["seed", "stop"]);
    assert!(!adaptation.adapt(&rejection("top_p", "it does not work")));
    assert_eq!(adaptation.into_learned(), [rejection("stop", "it does not work")]);
}
