//! Resolution of the path to `windlass-tool-args` in the crate that uses a macro.

use proc_macro2::Span;
use quote::quote;
use syn::{Ident, Path, parse_quote};

use crate::manifest::{FoundCrate, find};

/// Returns the path from `crate = ".."` if it is set. Otherwise returns the path that follows from the
/// crate's manifest: `windlass-tool-args` itself, or `windlass::tool` of the facade.
pub(crate) fn home(told: Option<&Path>) -> Path {
    told.cloned().unwrap_or_else(|| resolve(find("windlass-tool-args").as_ref(), find("windlass").as_ref()))
}

/// Within the package itself, its own name is correct, because its examples and tests refer to it by that
/// name.
fn resolve(tool: Option<&FoundCrate>, facade: Option<&FoundCrate>) -> Path {
    match (tool, facade) {
        (Some(FoundCrate::Name(name)), _) => {
            let name = Ident::new(name, Span::call_site());
            parse_quote!(::#name)
        }
        (None, Some(FoundCrate::Name(name))) => {
            let name = Ident::new(name, Span::call_site());
            parse_quote!(::#name::tool)
        }
        (None, Some(FoundCrate::Itself)) => parse_quote!(::windlass::tool),
        (Some(FoundCrate::Itself), _) | (None, None) => parse_quote!(::windlass_tool_args),
    }
}

/// Formats a path as the text that serde and schemars accept in `crate = ".."`.
pub(crate) fn text(path: &Path, tail: &str) -> String {
    let path = quote!(#path).to_string().replace(' ', "");
    format!("{path}::{tail}")
}

#[cfg(test)]
mod tests;
