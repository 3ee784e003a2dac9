//! Restores the id of a reasoning item that was streamed under another id.

use serde_json::{Map, Value};

const CIPHER: &str = "encrypted_content";
const ID: &str = "id";

/// The prefix of an encrypted content that also holds an id. The id's length and the id follow, then the
/// original content.
const MARK: &str = "windlass:";

/// Sets the item's id to `written`, under which its stream started, and stores its own id in
/// `encrypted_content`, which clients send back unread.
///
/// The API binds the encrypted content to the id ("Encrypted content `item_id` did not match the target item
/// id"). The id is known only with the whole item, after its text has been streamed under another id.
pub(crate) fn cover(item: &mut Map<String, Value>, written: &str) {
    let own = item.insert(ID.to_owned(), written.into());
    let Some(own) = own.as_ref().and_then(Value::as_str).filter(|own| *own != written) else { return };
    let cipher = item.get(CIPHER).and_then(Value::as_str).unwrap_or_default();
    let covered = format!("{MARK}{}:{own}{cipher}", own.len());
    item.insert(CIPHER.to_owned(), covered.into());
}

/// Restores an item's own id and its original `encrypted_content`.
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
