//! File patterns where a program's name should stand.

/// Whether a pattern of a shell could stand for a name. Both are in lower case. What stands between brackets fits any
/// one character: it is only asked what the pattern could be.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (simple(pattern), name.chars().collect());
    // The place behind the last `*`, and how much of the name it has taken so far.
    let (mut at, mut taken, mut star) = (0_usize, 0_usize, None);
    while let Some(char) = name.get(taken) {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, taken));
                at = at.saturating_add(1);
            }
            Some(wanted) if *wanted == '?' || wanted == char => {
                at = at.saturating_add(1);
                taken = taken.saturating_add(1);
            }
            _ => {
                let Some((behind, from)) = star else { return false };
                at = behind.saturating_add(1);
                taken = from.saturating_add(1);
                star = Some((behind, taken));
            }
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|char| *char == '*')
}

/// The pattern with each bracket as one `?`. No program has a longer name than a file can have.
fn simple(pattern: &str) -> Vec<char> {
    let mut chars = pattern.chars().take(255);
    let mut simple = Vec::new();
    while let Some(char) = chars.next() {
        if char == '[' {
            chars.by_ref().find(|next| *next == ']');
            simple.push('?');
        } else {
            simple.push(char);
        }
    }
    simple
}
