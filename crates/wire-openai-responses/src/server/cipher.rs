//! The id of thoughts that were streamed under another.

use serde_json::{Map, Value};

const CIPHER: &str = "encrypted_content";
const ID: &str = "id";

/// What begins a cipher that holds an id too: the id's length and the id follow, then the cipher itself.
const MARK: &str = "windlass:";

/// Gives the thoughts the id under which they began to be written, and puts their own into their cipher, which
/// clients hand back unread.
///
/// The API binds the cipher to the id ("Encrypted content `item_id` did not match the target item id"), but the id is
/// told only with the whole item, when the words have been streamed under another.
pub(crate) fn cover(item: &mut Map<String, Value>, written: &str) {
    let own = item.insert(ID.to_owned(), written.into());
    let Some(own) = own.as_ref().and_then(Value::as_str).filter(|own| *own != written) else { return };
    let cipher = item.get(CIPHER).and_then(Value::as_str).unwrap_or_default();
    let covered = format!("{MARK}{}:{own}{cipher}", own.len());
    item.insert(CIPHER.to_owned(), covered.into());
}

/// Gives thoughts their own id again.
pub(crate) fn uncover(item: &mut Value) {
    let Some(fields) = item.as_object_mut() else { return };
    let Some((own, cipher)) = fields.get(CIPHER).and_then(Value::as_str).and_then(parts) else { return };
    let (own, cipher) = (own.to_owned(), cipher.to_owned());
    fields.insert(ID.to_owned(), own.into());
    if cipher.is_empty() {
        fields.remove(CIPHER);
    } else {
        fields.insert(CIPHER.to_owned(), cipher.into());
    }
}

fn parts(covered: &str) -> Option<(&str, &str)> {
    let (length, rest) = covered.strip_prefix(MARK)?.split_once(':')?;
    rest.split_at_checked(length.parse().ok()?)
}
