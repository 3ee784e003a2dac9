//! Bounds on the work of `windlass-command`.

use windlass_command::{
    Certainty, Command, Effects, Excess, LEAST_WORK, MAX_SCAN_BYTES, Scan, WORK_PER_BYTE, is_protected_name,
    is_secret_name,
};

/// Maximum length of the repeated text, in bytes.
const LONGEST: usize = 32 * 1024;

/// Analyses any text with its shape repeated many times. The work stays within a budget proportional to the
/// bytes, the memory within the work, excess is reported, and the commands before the excess are found.
///
/// The lower four bits of the first byte are the exponent: the rest is repeated 2 to that power times.
///
/// # Panics
/// A property is violated.
pub fn command_work(bytes: &[u8]) {
    let Some((times, shape)) = bytes.split_first() else { return };
    let shape = String::from_utf8_lossy(shape);
    let times = (1_usize << (times & 15)).min(LONGEST / shape.len().max(1));
    let text = format!("rm x; {}", shape.repeat(times));
    let scan = Scan::read(&text);
    check_within(&scan, text.len());
    assert!(scan.runs(&["rm"]) && scan.may_run(&["rm"]), "the first element is lost: {:?}", scan.excess());
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let alone = Scan::scan_argv(&words);
    check_within(&alone, text.len().saturating_add(1));
    assert!(alone.runs(&["rm"]), "the program itself is lost");
    let effects = Effects::from_argv(&words);
    assert!(effects.touches().len() <= text.len().saturating_mul(4), "more paths than bytes");
    if let Ok(command) = Command::parse(&text) {
        assert!(command.effects().touches().len() <= text.len().saturating_mul(4), "more paths than bytes");
    }
    let _ = (is_protected_name(&text), is_secret_name(&text));
    let long = shape.repeat((MAX_SCAN_BYTES / shape.len().max(1)).saturating_add(1));
    if long.len() > MAX_SCAN_BYTES {
        let scan = Scan::read(&long);
        assert_eq!((scan.excess(), scan.work()), (Some(Excess::Bytes), 0), "too long, and assessed");
    }
}

fn check_within(scan: &Scan, bytes: usize) {
    let budget = bytes.saturating_mul(WORK_PER_BYTE).saturating_add(LEAST_WORK);
    assert!(scan.work() <= budget, "{} units of work for {bytes} bytes", scan.work());
    let kept = scan.programs().len().saturating_add(scan.writes().len());
    assert!(kept <= scan.work(), "{kept} things are kept for {} units of work", scan.work());
    assert!(scan.excess().is_none() || scan.certainty() == Certainty::Partial, "too much, and yet whole");
}
