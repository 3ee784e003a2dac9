//! Reading of a cassette's lines.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{CassetteError, Line};

pub(super) fn read(path: &Path) -> Result<String, CassetteError> {
    fs::read_to_string(path).map_err(|source| CassetteError::File {
        path: path.to_owned(),
        verb: "read",
        source,
    })
}

/// The content of the first line.
pub(super) struct Begin {
    pub(super) version: u32,
    pub(super) settings: Value,
}

/// Parses the first line and all further lines.
pub(super) fn lines(text: &str) -> Result<(Begin, Vec<Line>), CassetteError> {
    let mut lines = Vec::new();
    let mut texts = text.split_inclusive('\n').enumerate().peekable();
    while let Some((at, line)) = texts.next() {
        let is_torn = texts.peek().is_none() && !line.ends_with('\n');
        match serde_json::from_str(line) {
            Ok(line) => lines.push(line),
            Err(_) if is_torn && at > 0 => break,
            Err(source) if at > 0 => {
                return Err(CassetteError::Line { number: at.saturating_add(1), source });
            }
            Err(_) => return Err(CassetteError::NotCassette),
        }
    }
    if lines.is_empty() {
        return Err(CassetteError::NotCassette);
    }
    match lines.remove(0) {
        Line::Begin { version, settings } if version <= Line::VERSION => {
            Ok((Begin { version, settings }, lines))
        }
        Line::Begin { version, .. } => Err(CassetteError::Version { version }),
        _ => Err(CassetteError::NotCassette),
    }
}
