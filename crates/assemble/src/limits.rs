//! How much one answer may hold.

/// How much one answer may hold (RULES S16).
///
/// ```
/// let limits = windlass_assemble::Limits { calls: 16, ..windlass_assemble::Limits::default() };
/// assert_eq!(limits.depth, 128);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..Limits::default()`")]
pub struct Limits {
    /// The most calls; one more is reported as malformed, those after it are dropped.
    pub calls: usize,
    /// The most bytes of one call's arguments.
    pub argument_bytes: usize,
    /// The nesting of arguments that is refused. More than 128 is refused in any case.
    pub depth: usize,
    /// The most bytes of words and thoughts together; what is beyond is an error of the answer.
    pub text_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { calls: 512, argument_bytes: 16 << 20, depth: 128, text_bytes: 64 << 20 }
    }
}

impl Limits {
    /// The limits of one call's arguments.
    pub(crate) fn json(&self) -> windlass_partial_json::Limits {
        windlass_partial_json::Limits::default().with_depth(self.depth).with_bytes(self.argument_bytes)
    }
}
