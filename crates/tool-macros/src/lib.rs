#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "cargo tells a macro its package through the environment and the manifest"
)]

mod argument;
mod case;
mod derive;
mod description;
mod enumeration;
mod field;
mod function;
mod home;
mod implementation;
mod manifest;
mod options;
mod partial;
mod serde_attributes;
mod tool;
mod toolset;

use proc_macro::TokenStream;

/// Implements the arguments of a tool for a struct with named fields: `Deserialize`, `JsonSchema`,
/// `ToolArgs`, and the struct `Partial…` that holds the arguments while they stream. For an enum, which can only
/// be a value inside of arguments, implements `Deserialize`, `JsonSchema` and `PartialValue`. The crate
/// documentation lists the supported attributes.
#[proc_macro_derive(ToolArgs, attributes(tool_args, serde, schemars))]
pub fn derive_tool_args(item: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(item as syn::DeriveInput);
    derive::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Generates a tool from a documented function, async or not. For `add` it generates the value `Add`, whose type
/// `AddTool` implements `Tool`; if the function has parameters `State<..>`, `Add` is a function that takes the states
/// and returns the tool. The crate documentation lists the options.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    let function = syn::parse_macro_input!(item as syn::ItemFn);
    let plain = tool::plain(function.clone());
    let expanded = syn::parse(options).and_then(|options| tool::expand(&options, function));
    expanded.unwrap_or_else(|error| with_error(&error, plain)).into()
}

/// Implements `ToolSet` for the type of an `impl` block: each method with `#[tool]` becomes a tool, and all tools share
/// one value. The methods have the options and parameters of functions with `#[tool]`, and `&self`, `self: Arc<Self>` or
/// `self: &Arc<Self>`.
#[proc_macro_attribute]
pub fn toolset(options: TokenStream, item: TokenStream) -> TokenStream {
    let block = syn::parse_macro_input!(item as syn::ItemImpl);
    let plain = toolset::plain(block.clone());
    let options = syn::parse::Parser::parse(toolset::parse_options, options);
    let expanded = options.and_then(|told| toolset::expand(told.as_ref(), block));
    expanded.unwrap_or_else(|error| with_error(&error, plain)).into()
}

/// Generates an error together with the item itself, so that the uses of the item are not errors as well.
fn with_error(error: &syn::Error, plain: impl quote::ToTokens) -> proc_macro2::TokenStream {
    let error = error.to_compile_error();
    quote::quote!(#error #plain)
}
