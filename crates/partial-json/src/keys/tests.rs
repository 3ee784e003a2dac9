//! Both indices return the same records.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::{hashed, sorted};
use crate::Parser;

#[test]
fn both_indices_find_the_same_records() {
    let mut text = String::from("{");
    for number in 0..2_000_u32 {
        // Every third key is a repetition, and every fifth value has members of its own.
        let key = if number % 3 == 0 { number / 7 } else { number };
        let value = if number % 5 == 0 { "{\"x\": [1, 2], \"1\": 3}" } else { "null" };
        let comma = if number == 0 { "" } else { "," };
        let _ = write!(text, "{comma}\"{key}\": {value}");
    }
    let mut parser = Parser::new();
    parser.push(&text).unwrap();
    let document = &parser.document;
    let mut members = Vec::new();
    let mut at = 1;
    while at < document.records_end() {
        members.push(at);
        at = document.subtree_end(at);
    }
    assert_eq!(members.len(), 2_000);
    for known in [0, 1, 17, 1_000] {
        let end = members[known];
        let mut hashed = hashed::Index::build(document, 1, end);
        let mut sorted = sorted::Index::build(document, 1, end);
        let mut repeated = 0;
        for &member in &members[known..] {
            let key = document.record(member).unwrap().key;
            let earlier = hashed.insert(document, key, member);
            assert_eq!(sorted.insert(document, key, member), earlier, "record {member}");
            repeated += u32::from(earlier.is_some());
        }
        assert!(repeated > 100, "{repeated} keys are repeated");
    }
}
