//! The format of a record in a file: checksum, length, JSON, line feed.

use crate::crc32c::crc32c;
use crate::values::StoredRecord;

/// Encodes a record as `1c291ca3 51 {"seq":0,"at_ms":0,"body":…}` and a line feed. The checksum is the CRC32C
/// of the JSON in hexadecimal digits.
pub(crate) fn encode(record: &StoredRecord) -> Result<Vec<u8>, serde_json::Error> {
    let json = serde_json::to_vec(record)?;
    let mut line = format!("{:08x} {} ", crc32c(&json), json.len()).into_bytes();
    line.extend_from_slice(&json);
    line.push(b'\n');
    Ok(line)
}

/// Decodes a line without its line feed. Returns `None` if a checksum, length or JSON is wrong, or if the
/// record has another number than `seq`.
pub(crate) fn decode(line: &[u8], seq: u64) -> Option<StoredRecord> {
    let mut fields = line.splitn(3, |byte| *byte == b' ');
    let (checksum, len, json) = (fields.next()?, fields.next()?, fields.next()?);
    // The comparison is textual, because a parser would accept `A` for `a` and miss the changed bit.
    if checksum != format!("{:08x}", crc32c(json)).as_bytes() || len != json.len().to_string().as_bytes() {
        return None;
    }
    serde_json::from_slice::<StoredRecord>(json).ok().filter(|record| record.seq == seq)
}
