//! Walks through the parts of picture files. Each function stores width and height as soon as it has read
//! them, and returns `None` if a part is missing, damaged or extends beyond the end of the file.

pub(super) type Size = Option<(u32, u32)>;

/// CRC-32 table (ISO 3309), as PNG uses it.
const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte: usize = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "at most 255")]
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { (value >> 1) ^ 0xedb8_8320 } else { value >> 1 };
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
};

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        let index = (crc ^ u32::from(*byte)) & 0xff;
        (crc >> 8) ^ usize::try_from(index).ok().and_then(|index| CRC.get(index)).copied().unwrap_or_default()
    };
    !bytes.iter().fold(!0, step)
}

/// Unread rest of a file.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes::<1>().map(|[byte]| byte)
    }

    fn be16(&mut self) -> Option<u16> {
        self.bytes().map(u16::from_be_bytes)
    }

    fn le16(&mut self) -> Option<u16> {
        self.bytes().map(u16::from_le_bytes)
    }
}

/// Checks PNG chunks and their checksums, from IHDR over at least one IDAT to IEND (PNG, 5.3 and 5.6).
pub(super) fn png(bytes: &[u8], size: &mut Size) -> Option<()> {
    let mut rest = Rest(bytes.get(8..)?);
    let mut has_data = false;
    loop {
        let len = usize::try_from(u32::from_be_bytes(rest.bytes()?)).ok()?;
        let named = rest.take(len.checked_add(4)?)?;
        let (name, data) = named.split_at_checked(4)?;
        match (name, &size) {
            (b"IHDR", None) if len == 13 => {
                let mut head = Rest(data);
                *size = Some((u32::from_be_bytes(head.bytes()?), u32::from_be_bytes(head.bytes()?)));
            }
            (_, None) => return None,
            (b"IDAT", _) => has_data |= len > 0,
            _ => {}
        }
        if u32::from_be_bytes(rest.bytes()?) != crc(named) {
            return None;
        }
        if name == b"IEND" {
            return has_data.then_some(());
        }
    }
}

/// Checks JPEG segments up to the end of the image, with a frame header and a scan (ITU T.81, B.1 and B.2).
pub(super) fn jpeg(bytes: &[u8], size: &mut Size) -> Option<()> {
    let mut rest = Rest(bytes.get(2..)?);
    let mut has_scan = false;
    loop {
        if rest.byte()? != 0xff {
            return None;
        }
        let mut marker = rest.byte()?;
        // Fill bytes.
        while marker == 0xff {
            marker = rest.byte()?;
        }
        match marker {
            0xd9 => return (has_scan && size.is_some()).then_some(()),
            0x01 | 0xd0..=0xd8 => continue,
            _ => {}
        }
        let len = usize::from(rest.be16()?).checked_sub(2)?;
        let mut segment = Rest(rest.take(len)?);
        match marker {
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                segment.byte()?;
                let (height, width) = (segment.be16()?, segment.be16()?);
                *size = Some((u32::from(width), u32::from(height)));
            }
            0xda => {
                has_scan = true;
                // In a scan, a marker is 0xff followed by neither zero nor a restart marker.
                let is_marker =
                    |pair: &[u8]| matches!(pair, [0xff, next] if !matches!(next, 0 | 0xd0..=0xd7));
                let end = rest.0.windows(2).position(is_marker)?;
                rest.take(end)?;
            }
            _ => {}
        }
    }
}

/// Checks GIF blocks up to the trailer, or to the end of a file without one, with at least one image
/// (`GIF89a`, 18 to 27).
pub(super) fn gif(bytes: &[u8], size: &mut Size) -> Option<()> {
    let mut rest = Rest(bytes.get(6..)?);
    *size = Some((u32::from(rest.le16()?), u32::from(rest.le16()?)));
    let [flags, _, _] = rest.bytes()?;
    colours(&mut rest, flags)?;
    let mut has_image = false;
    loop {
        match rest.byte() {
            Some(0x3b) | None => return has_image.then_some(()),
            Some(0x21) => {
                rest.byte()?;
            }
            Some(0x2c) => {
                let [.., flags] = rest.bytes::<9>()?;
                colours(&mut rest, flags)?;
                rest.byte()?;
                has_image = true;
            }
            Some(_) => return None,
        }
        // Sub-blocks, terminated by an empty one.
        loop {
            let len = rest.byte()?;
            if len == 0 {
                break;
            }
            rest.take(usize::from(len))?;
        }
    }
}

fn colours(rest: &mut Rest<'_>, flags: u8) -> Option<()> {
    if flags & 0x80 != 0 {
        rest.take(3 << ((flags & 7) + 1))?;
    }
    Some(())
}

/// Checks the chunks of a RIFF file with at least one image (RFC 9649, 2).
pub(super) fn webp(bytes: &[u8], size: &mut Size) -> Option<()> {
    let mut rest = Rest(bytes.get(4..)?);
    let len = usize::try_from(u32::from_le_bytes(rest.bytes()?)).ok()?;
    let is_whole = rest.0.len() >= len;
    let mut rest = Rest(rest.0.get(4..len.min(rest.0.len()))?);
    let mut has_image = false;
    while !rest.0.is_empty() {
        let name: [u8; 4] = rest.bytes()?;
        let len = usize::try_from(u32::from_le_bytes(rest.bytes()?)).ok()?;
        let data = rest.take(len)?;
        if len % 2 == 1 {
            // Some encoders omit the padding of the last chunk.
            rest.take(usize::from(!rest.0.is_empty()))?;
        }
        let found = match &name {
            b"VP8X" => canvas(data.get(4..)?),
            b"VP8 " => lossy(data),
            b"VP8L" => lossless(data),
            _ => None,
        };
        has_image |= matches!(&name, b"VP8 " | b"VP8L" | b"ANMF") && (found.is_some() || name == *b"ANMF");
        *size = size.or(found);
    }
    (is_whole && has_image).then_some(())
}

fn canvas(data: &[u8]) -> Size {
    let mut rest = Rest(data);
    let mut side = || {
        let [low, middle, high] = rest.bytes()?;
        u32::from_le_bytes([low, middle, high, 0]).checked_add(1)
    };
    Some((side()?, side()?))
}

fn lossy(data: &[u8]) -> Size {
    let mut rest = Rest(data);
    let [tag, _, _] = rest.bytes()?;
    // Only a key frame can be decoded by itself.
    if tag & 1 != 0 || rest.bytes()? != [0x9d, 0x01, 0x2a] {
        return None;
    }
    let side = |value: u16| u32::from(value & 0x3fff);
    Some((side(rest.le16()?), side(rest.le16()?)))
}

fn lossless(data: &[u8]) -> Size {
    let mut rest = Rest(data);
    if rest.byte()? != 0x2f {
        return None;
    }
    let bits = u32::from_le_bytes(rest.bytes()?);
    Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
}
