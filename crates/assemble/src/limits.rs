//! Limits on the size of one answer.

/// Limits on the size of one answer (RULES S16).
///
/// ```
/// let limits = windlass_assemble::AssembleLimits { calls: 16, ..windlass_assemble::AssembleLimits::default() };
/// assert_eq!(limits.depth, 128);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers write it with `..AssembleLimits::default()`")]
pub struct AssembleLimits {
    /// The maximum number of calls. One call above it is reported as malformed; further calls are dropped.
    pub calls: usize,
    /// The maximum number of bytes in one call's arguments.
    pub argument_bytes: usize,
    /// The nesting depth from which arguments are refused. Depths of 128 and more are always refused.
    pub depth: usize,
    /// The maximum number of bytes of text and reasoning together. Excess text is dropped and reported as an
    /// error.
    pub text_bytes: usize,
}

impl Default for AssembleLimits {
    fn default() -> Self {
        Self { calls: 512, argument_bytes: 16 << 20, depth: 128, text_bytes: 64 << 20 }
    }
}

impl AssembleLimits {
    /// Returns the parser limits for one call's arguments.
    pub(crate) fn json(&self) -> windlass_partial_json::JsonLimits {
        windlass_partial_json::JsonLimits::default().with_depth(self.depth).with_bytes(self.argument_bytes)
    }
}
