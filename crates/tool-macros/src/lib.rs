#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "cargo describes a package in variables and the manifest")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod argument;
mod case;
mod cassette;
mod derive;
mod description;
mod enumeration;
mod field;
mod function;
mod home;
mod implementation;
mod local;
mod manifest;
mod options;
mod own_attributes;
mod parameter_type;
mod partial;
mod serde_attributes;
mod shadow;
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

/// Generates a tool from a documented function: for `add` the value `Add`, whose type `AddTool` implements `Tool`. If the
/// function has parameters `State<..>`, `Add` is a function that takes the states and returns the tool. The crate
/// documentation lists the options.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    let function = syn::parse_macro_input!(item as syn::ItemFn);
    tool::expand_or_keep(options.into(), function).into()
}

/// Implements `ToolSet` for the type of an `impl` block: each method with `#[tool]` becomes a tool, and all tools share
/// one value. A method has the options and parameters of a function with `#[tool]`.
#[proc_macro_attribute]
pub fn toolset(options: TokenStream, item: TokenStream) -> TokenStream {
    let block = syn::parse_macro_input!(item as syn::ItemImpl);
    toolset::expand_or_keep(options.into(), block).into()
}

/// Runs an asynchronous test on a cassette, with a path as in `#[cassette("a.jsonl")]` or without one.
#[proc_macro_attribute]
pub fn cassette(path: TokenStream, item: TokenStream) -> TokenStream {
    cassette::expand_or_keep(path.into(), &syn::parse_macro_input!(item)).into()
}
