//! Definitions that refer to themselves for the same value, which a validator would follow without an end.

/// Returns a definition of a cycle (Kahn's algorithm, which needs no stack). `same` has the definitions that each one
/// refers to.
pub(super) fn find(same: &[&[usize]]) -> Option<usize> {
    let mut users = vec![0_usize; same.len()];
    for &at in same.iter().copied().flatten() {
        if let Some(count) = users.get_mut(at) {
            *count = count.saturating_add(1);
        }
    }
    let mut free: Vec<usize> =
        users.iter().enumerate().filter(|(_, users)| **users == 0).map(|(at, _)| at).collect();
    while let Some(at) = free.pop() {
        for &at in same.get(at).copied().unwrap_or_default() {
            let Some(count) = users.get_mut(at) else { continue };
            *count = count.saturating_sub(1);
            if *count == 0 {
                free.push(at);
            }
        }
    }
    users.iter().position(|users| *users > 0)
}
