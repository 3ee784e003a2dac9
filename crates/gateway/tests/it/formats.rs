//! The formats, each with both of its sides.

use windlass_vendors::WireFormat;

/// A format with both of its sides.
pub(crate) type Format = WireFormat;

pub(crate) fn formats() -> Vec<Format> {
    WireFormat::all().to_vec()
}

pub(crate) fn format(name: &str) -> Format {
    WireFormat::find(name).unwrap().clone()
}

/// All ordered pairs of two formats, and each format with itself if that is wanted.
pub(crate) fn pairs() -> Vec<(Format, Format)> {
    let all = formats();
    let pairs = all.iter().flat_map(|from| all.iter().map(move |to| (from.clone(), to.clone())));
    pairs.collect()
}
