//! The keys of the journals below a folder: the inverse of `FileJournals::path`.

use std::path::Path;

use super::files::list_names;
use crate::StoreError;

/// Returns the keys of all journals below the folder, sorted.
pub(super) fn list(folder: &Path) -> Result<Vec<String>, StoreError> {
    let mut keys = Vec::new();
    collect(folder, &mut Vec::new(), &mut keys)?;
    keys.sort();
    Ok(keys)
}

/// Adds the keys of the journals below `folder`, whose own names are `names`.
fn collect(folder: &Path, names: &mut Vec<String>, keys: &mut Vec<String>) -> Result<(), StoreError> {
    for name in list_names(folder)? {
        let path = folder.join(&name);
        if path.is_dir() {
            names.push(name);
            collect(&path, names, keys)?;
            names.pop();
        } else if name == "journal" {
            keys.extend(decode(names));
        }
    }
    Ok(())
}

/// Decodes folder names to a key: `c-` begins a part, `d-` continues one, and `%2e` is a byte. Returns `None`
/// for folders that another program made.
fn decode(names: &[String]) -> Option<String> {
    let mut key: Vec<u8> = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let text = if let Some(text) = name.strip_prefix("c-") {
            if number > 0 {
                key.push(b'/');
            }
            text
        } else {
            name.strip_prefix("d-")?
        };
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            if byte == b'%' {
                let digits = [bytes.next()?, bytes.next()?];
                key.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
            } else {
                key.push(byte);
            }
        }
    }
    String::from_utf8(key).ok()
}

#[cfg(test)]
mod tests {
    use windlass_journal::{FileJournals, Journals as _};

    use super::list;

    #[test]
    fn every_opened_key_of_a_folder_is_listed() {
        let folder = tempfile::tempdir().unwrap();
        let journals = FileJournals::new(folder.path());
        let mut keys = vec!["run/call_1".to_owned(), "é/../%/x".to_owned(), format!("a/{}", "ü".repeat(300))];
        for key in &keys {
            drop(journals.open(key).unwrap());
        }
        keys.sort();
        assert_eq!(list(folder.path()).unwrap(), keys);
    }
}
