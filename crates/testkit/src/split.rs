//! Deterministic splitting of bytes and text at arbitrary places, like a network.

/// The `SplitMix64` generator: small, seeded, the same on every machine. Not for cryptography.
///
/// ```
/// let mut random = windlass_testkit::split::SplitMix64::new(7);
/// assert!((1..=6).contains(&random.in_range(1, 6)));
/// ```
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Creates a generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from `least` to `most`, both included.
    pub fn in_range(&mut self, least: usize, most: usize) -> usize {
        let span = most.saturating_sub(least).saturating_add(1) as u64;
        least + usize::try_from(self.next_u64() % span).unwrap_or(0)
    }

    /// Returns one of the values.
    ///
    /// # Panics
    /// The slice is empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.in_range(0, from.len() - 1)]
    }
}

/// The size of a model's deltas.
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
    /// W4: the whole text.
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

/// Splits text into deltas at character boundaries.
pub fn deltas(text: &str, cut: Cut, seed: u64) -> Vec<&str> {
    let (least, most) = cut.range(text.len());
    let mut random = SplitMix64::new(seed);
    let mut rest = text;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let mut at = random.in_range(least, most).min(rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        let (part, after) = rest.split_at(at);
        parts.push(part);
        rest = after;
    }
    parts
}

/// Splits bytes into pieces of one size; the last piece may be shorter.
///
/// # Panics
/// The size is 0.
pub fn into_fixed(bytes: &[u8], size: usize) -> Vec<&[u8]> {
    bytes.chunks(size).collect()
}

/// Splits bytes into random pieces of 1 to `most` bytes.
pub fn random(bytes: &[u8], seed: u64, most: usize) -> Vec<&[u8]> {
    let mut random = SplitMix64::new(seed);
    let mut rest = bytes;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (part, after) = rest.split_at(random.in_range(1, most.max(1)).min(rest.len()));
        parts.push(part);
        rest = after;
    }
    parts
}

/// Splits bytes into two pieces, at every position.
pub fn everywhere(bytes: &[u8]) -> impl Iterator<Item = Vec<&[u8]>> {
    (0..=bytes.len()).map(|at| vec![&bytes[..at], &bytes[at..]])
}

/// Returns the splits for properties that must hold for any split: single bytes, small sizes, random pieces,
/// empty pieces, and, for inputs of up to 96 bytes, every split into two.
pub fn ways(bytes: &[u8]) -> Vec<Vec<&[u8]>> {
    const EVERY_CUT_UP_TO: usize = 96;
    let seed = bytes.iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    });
    let mut ways =
        vec![into_fixed(bytes, 1), into_fixed(bytes, 2), into_fixed(bytes, 3), into_fixed(bytes, 7)];
    ways.push(random(bytes, seed, 5));
    ways.push(random(bytes, seed ^ 1, 40));
    ways.push(vec![&[], bytes, &[]]);
    if bytes.len() <= EVERY_CUT_UP_TO {
        ways.extend(everywhere(bytes));
    }
    ways
}
