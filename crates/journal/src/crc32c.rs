//! The checksum CRC-32C (Castagnoli), RFC 3720, with eight tables: eight bytes for each step.

/// The reversed polynomial.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// `TABLES[n][byte]` is the checksum of a byte that `n` zero bytes follow.
static TABLES: [[u32; 256]; 8] = tables();

#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "constant evaluation checks both"
)]
const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0_u32; 256]; 8];
    let mut byte = 0_usize;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 { (rest >> 1) ^ POLYNOMIAL } else { rest >> 1 };
            bit += 1;
        }
        tables[0][byte] = rest;
        byte += 1;
    }
    let mut table = 1_usize;
    while table < 8 {
        let mut byte = 0_usize;
        while byte < 256 {
            let before = tables[table - 1][byte];
            tables[table][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        table += 1;
    }
    tables
}

/// Returns the checksum of bytes.
pub(crate) fn crc32c(bytes: &[u8]) -> u32 {
    let (steps, rest) = bytes.as_chunks::<8>();
    let mut sum = !0_u32;
    for step in steps {
        let word = u64::from_le_bytes(*step) ^ u64::from(sum);
        let tables = TABLES.iter().rev();
        sum = tables.zip(word.to_le_bytes()).fold(0, |sum, (table, byte)| sum ^ look_up(table, byte));
    }
    for byte in rest {
        let [low, ..] = sum.to_le_bytes();
        sum = (sum >> 8) ^ look_up(&TABLES[0], low ^ byte);
    }
    !sum
}

fn look_up(table: &[u32; 256], byte: u8) -> u32 {
    table.get(usize::from(byte)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
