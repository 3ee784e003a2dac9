//! The names of runs, answers, outputs and journals that every kind of store can represent.

use crate::StoreError;

/// The longest plain name in bytes. File systems allow 255, and a folder adds endings.
const PLAIN_BYTES: usize = 200;
/// The longest key of a journal in bytes.
const KEY_BYTES: usize = 4096;

/// Accepts a name that is safe as a file name: letters, digits and `-_.`, without a leading dot.
pub(crate) fn check_plain(name: &str) -> Result<&str, StoreError> {
    let is_plain = (1..=PLAIN_BYTES).contains(&name.len())
        && !name.starts_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if is_plain { Ok(name) } else { Err(StoreError::Name { name: name.to_owned() }) }
}

/// Accepts the key of a journal: any text that is not empty and contains no NUL, which PostgreSQL cannot
/// store in a text.
pub(crate) fn check_key(key: &str) -> Result<&str, StoreError> {
    let is_key = (1..=KEY_BYTES).contains(&key.len()) && !key.contains('\0');
    if is_key { Ok(key) } else { Err(StoreError::Name { name: key.to_owned() }) }
}

#[cfg(test)]
mod tests {
    use super::{check_key, check_plain};

    #[test]
    fn a_name_cannot_leave_its_folder() {
        assert!(check_plain("1790000000-3f9a12bc").is_ok() && check_plain("out.txt").is_ok());
        for name in ["", ".", "..", ".hidden", "a/b", "a\0", "ä", &"x".repeat(201)] {
            assert!(check_plain(name).is_err(), "{name:?}");
        }
        assert!(check_key("run/ä \n").is_ok());
        assert!(check_key("").is_err() && check_key("a\0b").is_err());
    }
}
