//! Properties of the turn machine under arbitrary sequences of operations.

mod chunks;
mod drive;
mod event_checks;
mod outside;

use windlass_loop::{Entry, Machine, ResumeError, UnansweredPolicy};
use windlass_wire::check_pairing;

use self::drive::Drive;
use self::outside::config;

/// Interprets the bytes as a sequence of events of a run in any order: chunks, ends, decisions, approvals,
/// results, refusals, time, calls that run while their answer streams or are completed elsewhere, and
/// crashes.
///
/// The machine does not panic. Each request can be sent. Each call with effects runs at most once, in
/// whatever process, after its intent was recorded. No effect follows the end. The record can be resumed
/// after any truncation (RULES R1, R6, L7). Every event of a call has the call's id, and text ends before
/// something else begins.
///
/// # Panics
/// The property is violated.
pub fn machine(bytes: &[u8]) {
    // Operations are pairs of bytes, so the parity of the length can select an option.
    let unanswered = if bytes.len() % 2 == 1 { UnansweredPolicy::Suspend } else { UnansweredPolicy::Deny };
    // Inputs and effects are plain data: a quarter of the runs serialises them as JSON (DESIGN "Where it
    // runs").
    let by_post = bytes.len() / 2 % 4 == 3;
    let mut drive = Drive::start(unanswered, by_post);
    let mut bytes = bytes.iter().copied();
    while let Some(operation) = bytes.next() {
        drive.operate(operation, bytes.next().unwrap_or_default());
    }
    check_record(&drive.record);
}

/// Checks that every prefix of a record can be resumed or gives the right error.
fn check_record(record: &[Entry]) {
    const MOST_CUTS: usize = 40;
    let step = record.len().div_ceil(MOST_CUTS).max(1);
    for end in (0..=record.len()).rev().step_by(step) {
        let part = record.iter().take(end).cloned();
        match Machine::resume(config(UnansweredPolicy::Deny), part, 0) {
            Ok((machine, _)) => {
                // A call that waits for its result is still open; without it the conversation must be paired.
                let mut messages = machine.transcript().messages().clone();
                if machine.transcript().waiting().next().is_some() {
                    messages.truncate(
                        messages.iter().rposition(|message| message.calls().next().is_some()).unwrap_or(0),
                    );
                }
                check_pairing(&messages).expect("a resumed conversation is paired");
            }
            Err(error) => {
                let mut begun = record.iter().take(end);
                let is_right = match error {
                    ResumeError::NotStarted => end == 0,
                    ResumeError::Completed => begun.any(|entry| matches!(entry, Entry::Finished { .. })),
                    _ => false,
                };
                assert!(is_right, "a record that the machine wrote cannot be resumed: {error}");
            }
        }
    }
}

fn pick<T: Copy>(from: &[T], by: u8) -> T {
    from[usize::from(by) % from.len()]
}
