//! Properties of the turn machine, as a sequence of operations.

mod chunks;
mod drive;
mod outside;

use windlass_loop::{Entry, Machine, ResumeError, Unanswered};
use windlass_wire::check_pairing;

use self::drive::Drive;
use self::outside::config;

/// Any bytes as a sequence of what a run can meet: chunks, ends, judgements, approvals, results, refusals, time,
/// calls that run while their answer streams or go on elsewhere, crashes, in any order. No panic; each request can be
/// sent; each call that changes something runs at most once, after its intent was written down, and in whatever
/// process; nothing is wanted after the end; and the record can be resumed wherever it breaks off (RULES R1, R6, L7).
///
/// # Panics
/// The property is violated.
pub fn machine(bytes: &[u8]) {
    // Operations are pairs of bytes, so an odd one is left to choose by.
    let unanswered = if bytes.len() % 2 == 1 { Unanswered::Suspend } else { Unanswered::Deny };
    // What the machine is told and what it wants is data: a quarter of the runs has it sent as JSON (DESIGN "Where it
    // runs").
    let by_post = bytes.len() / 2 % 4 == 3;
    let mut drive = Drive::start(unanswered, by_post);
    let mut bytes = bytes.iter().copied();
    while let Some(operation) = bytes.next() {
        drive.operate(operation, bytes.next().unwrap_or_default());
    }
    check_record(&drive.record);
}

/// A record that breaks off anywhere is one that a run can go on from, or that says why not.
fn check_record(record: &[Entry]) {
    const MOST_CUTS: usize = 40;
    let step = record.len().div_ceil(MOST_CUTS).max(1);
    for end in (0..=record.len()).rev().step_by(step) {
        let part = record.iter().take(end).cloned();
        match Machine::resume(config(Unanswered::Deny), part, 0) {
            Ok((machine, _)) => {
                // What waits for its result is open; without it the conversation is whole.
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
