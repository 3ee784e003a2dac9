//! The form of a record in a file: checksum, length, JSON, line feed.

use crate::Record;

/// `1c291ca3 51 {"seq":0,"at_ms":0,"body":…}` and a line feed. The checksum is CRC32C over the JSON, in hex.
pub(crate) fn encode(record: &Record) -> Result<Vec<u8>, serde_json::Error> {
    let json = serde_json::to_vec(record)?;
    let mut line = format!("{:08x} {} ", crc32c::crc32c(&json), json.len()).into_bytes();
    line.extend_from_slice(&json);
    line.push(b'\n');
    Ok(line)
}

/// The record in a line without its line feed, if the line is whole and its number is the expected one.
pub(crate) fn decode(line: &[u8], seq: u64) -> Option<Record> {
    let mut fields = line.splitn(3, |byte| *byte == b' ');
    let (checksum, len, json) = (fields.next()?, fields.next()?, fields.next()?);
    // Compared as text: parsing would take `A` for `a`, and so miss a changed bit.
    if checksum != format!("{:08x}", crc32c::crc32c(json)).as_bytes()
        || len != json.len().to_string().as_bytes()
    {
        return None;
    }
    serde_json::from_slice::<Record>(json).ok().filter(|record| record.seq == seq)
}
