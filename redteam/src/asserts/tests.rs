//! Asserts that hold and asserts that do not.

use serde_json::{Value, json};

use super::{check_bound, contains, equals, lacks};

#[test]
fn figures_are_compared() {
    assert_eq!(equals("dials", &json!(0), &json!(0)).unwrap(), None);
    assert!(equals("dials", &json!(0), &json!(1)).unwrap().is_some());
    assert_eq!(check_bound("wall_s_max", &json!(5), &json!(4.9), |met, limit| met <= limit).unwrap(), None);
    assert!(check_bound("wall_s_max", &json!(5), &json!(5.1), |met, limit| met <= limit).unwrap().is_some());
    assert!(check_bound("wall_s_max", &json!("5"), &json!(1), |met, limit| met <= limit).is_err());
}

#[test]
fn contains_and_lacks_search_the_text() {
    let many: Value = json!(["one", "two"]);
    assert_eq!(contains("result_contains", &many, "one and two").unwrap(), None);
    assert!(contains("result_contains", &many, "one").unwrap().is_some());
    assert_eq!(lacks("result_lacks", &json!("three"), "one and two").unwrap(), None);
    assert!(lacks("result_lacks", &many, "only two").unwrap().is_some());
    assert!(lacks("result_lacks", &json!(3), "").is_err());
}
