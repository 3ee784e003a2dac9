//! One run of one case with one model.

use std::path::{Path, PathBuf};

use windlass_cassette::Cassette;

use crate::EvalError;

/// One run of one case with one model. The closure of [`Suite::agent_with`](crate::Suite::agent_with) and the graders receive
/// it. Cheap to clone.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trial {
    /// Id of the case.
    pub case: String,
    /// Name of the model.
    pub model: String,
    /// Number of the repetition, from 0.
    pub repetition: u32,
    /// Seed, which depends on the suite's seed, the case and the repetition, and is the same for each model.
    pub seed: u64,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) cassette: Option<Cassette>,
}

impl Trial {
    /// Returns the folder of this trial, if the suite has [folders](crate::Suite::folders). It exists and is empty when
    /// the trial begins.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns the cassette of this trial.
    ///
    /// # Errors
    /// Returns [`EvalError::NoCassette`] if the suite has no [cassettes](crate::Suite::cassettes).
    pub fn cassette(&self) -> Result<&Cassette, EvalError> {
        self.cassette.as_ref().ok_or(EvalError::NoCassette)
    }

    /// Returns whether the trial replays a cassette.
    pub fn is_replayed(&self) -> bool {
        self.cassette.as_ref().is_some_and(|cassette| !cassette.is_recording())
    }

    /// Returns the place of this trial's files below a folder.
    pub(crate) fn place(&self, folder: &Path, end: &str) -> PathBuf {
        let name = format!("{}{end}", self.repetition);
        folder.join(file_name(&self.model)).join(file_name(&self.case)).join(name)
    }
}

/// Returns a name that is valid for a file on every system. A name that changes gets a hash, so that different names
/// stay different.
fn file_name(name: &str) -> String {
    const LONGEST: usize = 80;
    let is_plain =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "._-".contains(letter);
    let is_valid =
        !name.is_empty() && name.len() <= LONGEST && !name.starts_with('.') && name.chars().all(is_plain);
    if is_valid {
        return name.to_owned();
    }
    let letters = name.chars().map(|letter| letter.to_ascii_lowercase()).take(LONGEST);
    let plain: String = letters.map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
    format!("{}-{:016x}", plain.trim_start_matches('.'), hash(&[name.as_bytes()]))
}

/// Returns the FNV-1a hash of texts, each of which is followed by a byte that does not occur in UTF-8.
pub(crate) fn hash(texts: &[&[u8]]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.iter().copied().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns the seed of a trial: the hash of its parts, mixed by the finalizer of `SplitMix64` so that neighbouring numbers
/// have unrelated seeds.
pub(crate) fn seed(suite: u64, case: &str, repetition: u32) -> u64 {
    let hash = hash(&[&suite.to_le_bytes(), case.as_bytes(), &repetition.to_le_bytes()]);
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    //! Names of files, and seeds.

    use std::collections::BTreeSet;

    use super::{file_name, hash, seed};

    #[test]
    fn the_hash_is_fnv_1a() {
        // Test vectors of draft-eastlake-fnv: the empty text, `a` and `foobar`, here without the final byte of a text.
        let of = |text: &str| {
            text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
        };
        assert_eq!(
            (of(""), of("a"), of("foobar")),
            (0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8)
        );
        assert_eq!(hash(&[]), of(""));
        assert_ne!(hash(&[b"ab", b"c"]), hash(&[b"a", b"bc"]));
    }

    #[test]
    fn seeds_differ_by_case_and_repetition() {
        let cases = ["a", "b", "ab"];
        let seeds: BTreeSet<u64> =
            cases.iter().flat_map(|case| (0..100).map(move |repetition| seed(1, case, repetition))).collect();
        assert_eq!(seeds.len(), 300);
        assert_eq!(seed(1, "a", 0), seed(1, "a", 0));
        assert_ne!(seed(1, "a", 0), seed(2, "a", 0));
    }

    #[test]
    fn names_of_files_are_plain_and_stay_different() {
        assert_eq!(file_name("gpt-5.1"), "gpt-5.1");
        let names = ["a/b", "a-b", "A-b", "../x", "", ".", "..", "a b", "ß"];
        let made: BTreeSet<String> = names.iter().map(|name| file_name(name)).collect();
        assert_eq!(made.len(), names.len());
        assert!(made.iter().all(|name| !name.contains('/') && !name.starts_with('.')), "{made:?}");
    }
}
