#![doc = include_str!("../README.md")]

mod case;
mod derive;
mod description;
mod field;
mod function;
mod home;
mod options;
mod partial;
mod serde_attributes;
mod tool;

use proc_macro::TokenStream;

/// Makes a struct with named fields the arguments of a tool: `Deserialize`, `JsonSchema`, `ToolArgs`, and the
/// struct `Partial…` that shows them while they arrive. See the crate's page for what is allowed.
#[proc_macro_derive(ToolArgs, attributes(tool_args, serde, schemars))]
pub fn derive_tool_args(item: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(item as syn::DeriveInput);
    derive::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a tool of a documented async function: a unit struct named after it that implements `Tool`. See the
/// crate's page for what is allowed.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    let options = syn::parse_macro_input!(options as options::Options);
    let function = syn::parse_macro_input!(item as syn::ItemFn);
    tool::expand(&options, function).unwrap_or_else(syn::Error::into_compile_error).into()
}
