//! Resolution of the path to `windlass-tool-args` or `windlass-cassette` in the crate that uses a macro.

use proc_macro2::Span;
use quote::quote;
use syn::{Ident, Path, parse_quote};

use crate::manifest::{FoundCrate, find};

/// Returns the path from `crate = ".."` if it is set. Otherwise returns the path that follows from the
/// crate's manifest: `windlass-tool-args` itself, or `windlass::tool` of the facade.
pub(crate) fn home(told: Option<&Path>) -> Path {
    told.cloned().unwrap_or_else(|| {
        resolve(find("windlass-tool-args").as_ref(), find("windlass").as_ref(), "windlass_tool_args", "tool")
    })
}

/// Returns the path of `windlass-cassette` in the same way: the crate itself, or `windlass::cassette` of the facade.
pub(crate) fn cassette_home() -> Path {
    resolve(find("windlass-cassette").as_ref(), find("windlass").as_ref(), "windlass_cassette", "cassette")
}

/// Returns the path of the crate `name`, which the facade has as `module`. Within the package itself, its own name is
/// correct, because its examples and tests refer to it by that name.
fn resolve(own: Option<&FoundCrate>, facade: Option<&FoundCrate>, name: &str, module: &str) -> Path {
    let (name, module) = (Ident::new(name, Span::call_site()), Ident::new(module, Span::call_site()));
    match (own, facade) {
        (Some(FoundCrate::Name(name)), _) => {
            let name = Ident::new(name, Span::call_site());
            parse_quote!(::#name)
        }
        (None, Some(FoundCrate::Name(name))) => {
            let name = Ident::new(name, Span::call_site());
            parse_quote!(::#name::#module)
        }
        (None, Some(FoundCrate::Itself)) => parse_quote!(::windlass::#module),
        (Some(FoundCrate::Itself), _) | (None, None) => parse_quote!(::#name),
    }
}

/// Formats a path as the text that serde and schemars accept in `crate = ".."`.
pub(crate) fn text(path: &Path, tail: &str) -> String {
    let path = quote!(#path).to_string().replace(' ', "");
    format!("{path}::{tail}")
}

#[cfg(test)]
mod tests;
