//! Where the crate `windlass-tool` is, seen from the crate that uses a macro.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::Span;
use quote::quote;
use syn::{Ident, Path, parse_quote};

/// The path that a macro was told with `crate = ".."`, else the one that the crate's manifest gives: of
/// `windlass-tool` itself, or of the facade's `windlass::tool`.
pub(crate) fn home(told: Option<&Path>) -> Path {
    told.cloned().unwrap_or_else(|| resolve(find("windlass-tool").as_ref(), find("windlass").as_ref()))
}

fn find(name: &str) -> Option<FoundCrate> {
    crate_name(name).ok()
}

/// A package's examples and tests see it under its own name, so its own name is right for all of it.
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
        (Some(FoundCrate::Itself), _) | (None, None) => parse_quote!(::windlass_tool),
    }
}

/// A path as the text that serde and schemars take in `crate = ".."`.
pub(crate) fn text(path: &Path, tail: &str) -> String {
    let path = quote!(#path).to_string().replace(' ', "");
    format!("{path}::{tail}")
}

#[cfg(test)]
mod tests;
