//! Limits that compilation and checking of a schema share.

/// Maximum length of a schema in bytes, for its checker and for every dialect. The schemas of real servers have a few
/// kilobytes.
pub(crate) const MAX_SCHEMA_BYTES: usize = 256 * 1024;
