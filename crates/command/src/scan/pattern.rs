//! File patterns in the position of a program's name.

/// Returns whether a shell pattern could expand to a name. Both must be in lower case. A bracket expression
/// matches any one character, so a match is possible but not certain.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (simple(pattern), name.chars().collect());
    // Positions in the pattern and in the name, and a backtracking point: the last `*` with the first
    // character of the name that it has not consumed.
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

/// Returns the pattern with each bracket expression as one `?`. It is cut after 255 characters, the maximum
/// length of a file's name.
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
