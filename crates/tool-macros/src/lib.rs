#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "cargo tells a macro its package through the environment and the manifest"
)]

mod case;
mod derive;
mod description;
mod field;
mod function;
mod home;
mod manifest;
mod options;
mod partial;
mod serde_attributes;
mod tool;

use proc_macro::TokenStream;

/// Implements the arguments of a tool for a struct with named fields: `Deserialize`, `JsonSchema`,
/// `ToolArgs`, and the struct `Partial…` that holds the arguments while they stream. The crate documentation
/// lists the supported attributes.
#[proc_macro_derive(ToolArgs, attributes(tool_args, serde, schemars))]
pub fn derive_tool_args(item: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(item as syn::DeriveInput);
    derive::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Generates a tool from a documented function, async or not: a unit struct named after the function that
/// implements `Tool`. The crate documentation lists the options.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    let options = syn::parse_macro_input!(options as options::Options);
    let function = syn::parse_macro_input!(item as syn::ItemFn);
    tool::expand(&options, function).unwrap_or_else(syn::Error::into_compile_error).into()
}
