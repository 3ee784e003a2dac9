//! Cuts bytes and text as networks do: anywhere, and the same way each time.

/// The splitmix64 generator: small, seeded, the same on every machine.
///
/// ```
/// let mut random = windlass_testkit::split::SplitMix64::new(7);
/// assert!((1..=6).contains(&random.between(1, 6)));
/// ```
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator that starts at this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from `least` to `most`, both included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        let span = most.saturating_sub(least).saturating_add(1) as u64;
        least + usize::try_from(self.next_u64() % span).unwrap_or(0)
    }

    /// One of these.
    ///
    /// # Panics
    /// There is none.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.between(0, from.len() - 1)]
    }
}

/// How long the deltas of a model are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cut {
    /// d1: one character.
    One,
    /// d4: four bytes.
    Four,
    /// d16: 8 to 24 bytes.
    Sixteen,
    /// dR: 1 to 64 bytes.
    Ragged,
    /// W4: all at once.
    Whole,
}

impl Cut {
    fn range(self, length: usize) -> (usize, usize) {
        match self {
            Self::One => (1, 1),
            Self::Four => (4, 4),
            Self::Sixteen => (8, 24),
            Self::Ragged => (1, 64),
            Self::Whole => (length.max(1), length.max(1)),
        }
    }
}

/// Text in deltas, cut between characters.
pub fn deltas(text: &str, cut: Cut, seed: u64) -> Vec<&str> {
    let (least, most) = cut.range(text.len());
    let mut random = SplitMix64::new(seed);
    let mut rest = text;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let mut at = random.between(least, most).min(rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        let (part, after) = rest.split_at(at);
        parts.push(part);
        rest = after;
    }
    parts
}

/// Bytes in pieces of one size, the last perhaps shorter.
///
/// # Panics
/// The size is 0.
pub fn fixed(bytes: &[u8], size: usize) -> Vec<&[u8]> {
    bytes.chunks(size).collect()
}

/// Bytes in pieces of 1 to `most` bytes.
pub fn random(bytes: &[u8], seed: u64, most: usize) -> Vec<&[u8]> {
    let mut random = SplitMix64::new(seed);
    let mut rest = bytes;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (part, after) = rest.split_at(random.between(1, most.max(1)).min(rest.len()));
        parts.push(part);
        rest = after;
    }
    parts
}

/// Bytes in two pieces, at every place.
pub fn everywhere(bytes: &[u8]) -> impl Iterator<Item = Vec<&[u8]>> {
    (0..=bytes.len()).map(|at| vec![&bytes[..at], &bytes[at..]])
}

/// The ways in which an input is split when a property must hold for any: byte by byte, small sizes, random
/// pieces, an empty piece, and every single cut where the input is short enough for all.
pub fn ways(bytes: &[u8]) -> Vec<Vec<&[u8]>> {
    const EVERY_CUT_UP_TO: usize = 96;
    let seed = bytes.iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    });
    let mut ways = vec![fixed(bytes, 1), fixed(bytes, 2), fixed(bytes, 3), fixed(bytes, 7)];
    ways.push(random(bytes, seed, 5));
    ways.push(random(bytes, seed ^ 1, 40));
    ways.push(vec![&[], bytes, &[]]);
    if bytes.len() <= EVERY_CUT_UP_TO {
        ways.extend(everywhere(bytes));
    }
    ways
}
