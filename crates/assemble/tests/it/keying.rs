//! Tests that each fragment is appended to the call that it belongs to.

use windlass_assemble::{AssembleLimits, AssembleOptions};

use crate::script::{calls, check, check_with, delta, end, fragment, placed, start};

// S2
#[test]
fn fragments_find_their_call_by_index() {
    check(
        [
            fragment(0, "a", "read", ""),
            fragment(1, "b", "write", ""),
            fragment(0, "", "", r#"{"x":"#),
            fragment(1, "", "", r#"{"y":"#),
            fragment(0, "", "", "1}"),
            fragment(1, "", "", "2}"),
            calls(),
        ],
        &[r#"a read {"x":1}"#, r#"b write {"y":2}"#],
    );
}

// S2
#[test]
fn a_known_id_beats_the_index() {
    check(
        [
            fragment(0, "a", "read", ""),
            fragment(1, "b", "write", ""),
            fragment(1, "a", "", r#"{"x":1}"#),
            fragment(0, "b", "", r#"{"y":2}"#),
            calls(),
        ],
        &[r#"a read {"x":1}"#, r#"b write {"y":2}"#],
    );
}

// S2
#[test]
fn a_missing_index_means_the_position() {
    check(
        [
            placed(-1, 0, "a", "read", ""),
            placed(-1, 1, "b", "write", ""),
            placed(-1, 0, "", "", r#"{"x":1}"#),
            placed(-1, 1, "", "", r#"{"y":2}"#),
            calls(),
        ],
        &[r#"a read {"x":1}"#, r#"b write {"y":2}"#],
    );
}

// S2
#[test]
fn without_index_and_place_the_last_open_call_grows() {
    check(
        [fragment(4, "a", "read", ""), placed(-1, 9, "", "", r#"{"x":1}"#), calls()],
        &[r#"a read {"x":1}"#],
    );
}

// S3
#[test]
fn a_new_id_with_a_name_opens_a_call_on_a_used_index() {
    check(
        [
            fragment(0, "a", "read", r#"{"x":1}"#),
            fragment(0, "b", "read", r#"{"x":"#),
            fragment(0, "", "", "2}"),
            calls(),
        ],
        &[r#"a read {"x":1}"#, r#"b read {"x":2}"#],
    );
}

// S3
#[test]
fn a_new_id_without_a_name_is_a_continuation() {
    check(
        [fragment(0, "a", "read", r#"{"x""#), fragment(0, "b", "", ":1}"), calls()],
        &[r#"a read {"x":1}"#],
    );
}

// S1, S3
#[test]
fn calls_without_ids_are_separated_by_their_names() {
    check(
        [fragment(0, "", "read", r#"{"x":1}"#), fragment(0, "", "read", r#"{"x":2}"#), calls()],
        &[r#"call_7_0 read {"x":1}"#, r#"call_7_1 read {"x":2}"#],
    );
}

// S4
#[test]
fn a_late_id_is_attached_to_its_call() {
    check(
        [fragment(0, "", "read", r#"{"x":"#), fragment(0, "late", "", "1}"), calls()],
        &[r#"late read {"x":1}"#],
    );
    check(
        [fragment(0, "", "read", ""), fragment(0, "late", "read", r#"{"x":1}"#), calls()],
        &[r#"late read {"x":1}"#],
    );
}

// S4, P1
#[test]
fn a_missing_id_is_generated_and_unique() {
    check(
        [fragment(0, "call_7_1", "read", "{}"), fragment(1, "", "read", "{}"), calls()],
        &["call_7_1 read {}", "call_7_513 read {}"],
    );
}

// P1
#[test]
fn the_second_of_two_equal_ids_is_replaced() {
    check(
        [
            fragment(0, "a", "read", r#"{"x":1}"#),
            fragment(1, "a", "write", r#"{"y":"#),
            fragment(1, "", "", "2}"),
            calls(),
        ],
        &[r#"a read {"x":1}"#, r#"call_7_1 write {"y":2}"#],
    );
    check(
        [start(0, "a", "read"), end(0), start(1, "a", "read"), delta(1, r#"{"x":1}"#), end(1), calls()],
        &["a read {}", r#"call_7_1 read {"x":1}"#],
    );
}

#[test]
fn an_id_and_a_name_in_every_fragment_are_one_call() {
    check(
        [
            fragment(0, "a", "read", r#"{"x":"#),
            fragment(0, "a", "read", "1"),
            fragment(0, "a", "read", "}"),
            calls(),
        ],
        &[r#"a read {"x":1}"#],
    );
}

// S16
#[test]
fn calls_beyond_the_limit_are_reported_once_and_affect_no_other() {
    let options = AssembleOptions::default()
        .with_turn(7)
        .with_limits(AssembleLimits { calls: 1, ..AssembleLimits::default() });
    check_with(
        options,
        [
            fragment(0, "a", "read", r#"{"x":1}"#),
            fragment(0, "b", "read", r#"{"x":2}"#),
            fragment(0, "", "", "more"),
            fragment(1, "c", "read", "{}"),
            calls(),
        ],
        &[
            r#"a read {"x":1}"#,
            "call_7_1 - ! the answer has more than 1 calls; this call and the later ones are left out: ",
        ],
    );
}
