//! Findings of a scan over streamed JSON.

use super::Scan;

#[track_caller]
fn check_id(json: &str, id: Option<u64>) {
    let mut whole = Scan::default();
    whole.push(json.as_bytes());
    assert_eq!(whole.id(), id, "{json}");
    let mut split = Scan::default();
    json.as_bytes().chunks(1).for_each(|byte| split.push(byte));
    assert_eq!(split.id(), id, "byte by byte: {json}");
}

#[test]
fn only_the_one_number_at_the_top_is_the_id() {
    check_id(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, Some(7));
    check_id(r#"{"result":{"id":1,"a":["id",2]},"id" : 42 }"#, Some(42));
    check_id(r#"{"result":{"id":1}}"#, None);
    check_id(r#"{"note":"\"id\":3","result":1}"#, None);
    check_id(r#"{"id":"7"}"#, None);
    check_id(r#"{"id":7.5}"#, None);
    check_id(r#"{"id":-7}"#, None);
    check_id(r#"{"id":7,"id":8}"#, None);
    check_id(r#"{"id":99999999999999999999999}"#, None);
    check_id(r#"{"x":"id","y":5}"#, None);
    check_id(r#"{"idx":5}"#, None);
}

#[test]
fn brackets_in_strings_are_not_depth() {
    assert_eq!(Scan::depth_of(r#"{"a":"[[[[\"[["}"#), 1);
    assert_eq!(Scan::depth_of(&"[".repeat(100_000)), 100_000);
    assert_eq!(Scan::depth_of("]]][]"), 1);
}
