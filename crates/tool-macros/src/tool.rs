//! `#[tool]` on a function: the generated type of the tool, and the value or constructor that makes the tool.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Error, Ident, ItemFn, Result, Visibility};

use crate::case::pascal;
use crate::function::{State, parameters, remove_attributes};
use crate::home::home;
use crate::implementation::{Target, ToolFunction};
use crate::options::Options;

/// Generates the tool. If that fails, generates the error and the plain function, so that the uses of the function are not
/// errors as well.
pub(crate) fn expand_or_keep(options: TokenStream, function: ItemFn) -> TokenStream {
    let mut plain = function.clone();
    remove_attributes(&mut plain.sig);
    let expanded = syn::parse2(options).and_then(|options| expand(&options, function));
    expanded.unwrap_or_else(|error| {
        let error = error.to_compile_error();
        quote!(#error #plain)
    })
}

fn expand(options: &Options, mut function: ItemFn) -> Result<TokenStream> {
    if let Some(receiver) = function.sig.receiver() {
        let message =
            "a method is a tool in an `impl` block with `#[toolset]`: put `#[toolset]` on the block";
        return Err(Error::new_spanned(receiver, message));
    }
    let parameters = parameters(&function.sig, options)?;
    remove_attributes(&mut function.sig);
    let home = home(options.told_crate.as_ref());
    let tool = ToolFunction::new(options, &home, (&function.attrs, &function.sig), parameters)?;
    let (ident, visibility) = (&function.sig.ident, &function.vis);
    let names = Names::new(ident);
    let arguments = tool.define_arguments(visibility);
    let definition = names.definition(visibility, &tool);
    let ty = &names.ty;
    let target = Target { generics: TokenStream::new(), ty: quote!(#ty), bounds: TokenStream::new() };
    let implementation = tool.implementation(&target, &quote!(#ident), None);
    Ok(quote! {
        // Arguments are owned and the tool awaits the function, so these lints can be wrong for its body.
        #[allow(clippy::needless_pass_by_value, clippy::unused_async)]
        #function

        #arguments
        #definition

        const _: () = {
            #implementation
        };
    })
}

/// The names of the generated items. The value `Add` and the type `AddTool` leave the type name `Add` to the
/// author, who may use it for the struct of the arguments.
struct Names {
    function: String,
    value: Ident,
    ty: Ident,
}

impl Names {
    fn new(function: &Ident) -> Self {
        let name = function.unraw().to_string();
        let value = format_ident!("{}", pascal(&name), span = function.span());
        Self { ty: format_ident!("{value}Tool"), value, function: name }
    }

    /// Generates the type, and the value or, for a tool with state, the constructor.
    fn definition(&self, visibility: &Visibility, tool: &ToolFunction<'_>) -> TokenStream {
        let Self { function, value, ty } = self;
        let docs = format!("The tool `{}`, which calls [`{function}`].", tool.name);
        let ty_docs = format!("The type of the tool [`{value}`].");
        let states: Vec<&State> = tool.states().collect();
        if states.is_empty() {
            return quote! {
                #[doc = #ty_docs]
                #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::default::Default)]
                #visibility struct #ty {}

                #[doc = #docs]
                #[allow(non_upper_case_globals)]
                #visibility const #value: #ty = #ty {};
            };
        }
        let title = ty.to_string();
        let docs = format!("Creates the tool `{}`, which calls [`{function}`] with this state.", tool.name);
        let fields: Vec<_> = states.iter().map(|state| &state.field).collect();
        let types = states.iter().map(|state| &state.ty);
        let names = states.iter().map(|state| &state.name);
        quote! {
            #[doc = #ty_docs]
            #[derive(::core::clone::Clone)]
            #visibility struct #ty { #(#fields: #types),* }

            #[automatically_derived]
            impl ::core::fmt::Debug for #ty {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.debug_struct(#title).finish_non_exhaustive()
                }
            }

            #[doc = #docs]
            #[allow(non_snake_case)]
            #[must_use]
            #visibility fn #value(#(#states),*) -> #ty {
                #ty { #(#fields: ::core::convert::Into::into(#names)),* }
            }
        }
    }
}
