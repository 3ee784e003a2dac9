//! `#[tool]`: the generated unit struct and its `Tool` impl.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::{Error, ItemFn, LitStr, Path, Result};

use crate::case::pascal;
use crate::description::description;
use crate::function::{Parameter, can_fail, parameters};
use crate::home::{home, text};
use crate::options::{Flag, Options};

pub(crate) fn expand(options: &Options, mut function: ItemFn) -> Result<TokenStream> {
    let parameters = parameters(&mut function)?;
    let told = description(&function.attrs);
    let ident = &function.sig.ident;
    if told.is_empty() {
        let message = "a model has to know what the tool does: write a doc comment";
        return Err(Error::new_spanned(ident, message));
    }
    let home = home(options.told_crate.as_ref());
    let own_name = ident.unraw().to_string();
    let name = options.name.as_ref().map_or_else(|| own_name.clone(), LitStr::value);
    if name.len() > 64 {
        return Err(Error::new_spanned(
            ident,
            "a tool's name has at most 64 letters: give it a `name = \"..\"`",
        ));
    }
    let unit = format_ident!("{}", pascal(&own_name), span = ident.span());
    let docs = format!("The tool `{name}`, which calls [`{own_name}`].");
    let visibility = &function.vis;
    let tool = implementation(options, &function, &parameters, &ToolNames { unit: &unit, name, told, home });
    Ok(quote! {
        // Arguments are owned and the tool awaits the function, so these lints can be wrong for its body.
        #[allow(clippy::needless_pass_by_value, clippy::unused_async)]
        #function

        #[doc = #docs]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::default::Default)]
        #visibility struct #unit;

        #tool
    })
}

/// The names and the description of the tool.
struct ToolNames<'a> {
    unit: &'a syn::Ident,
    name: String,
    told: String,
    home: Path,
}

fn implementation(
    options: &Options,
    function: &ItemFn,
    parameters: &[Parameter],
    named: &ToolNames<'_>,
) -> TokenStream {
    let ToolNames { unit, name, told, home } = named;
    let (serde_path, schemars_path) = (text(home, "derived::serde"), text(home, "derived::schemars"));
    let arguments: Vec<_> = parameters
        .iter()
        .filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(argument),
            Parameter::Context => None,
        })
        .collect();
    let fields = arguments.iter().map(|argument| argument.field());
    let idents = arguments.iter().map(|argument| &argument.ident);
    let locals = arguments.iter().map(|argument| &argument.local);
    let order = arguments.iter().map(|argument| &argument.name);
    let hints = options.hints(home);
    let effects = effects(options, home);
    let call = call(function, parameters, home);
    quote! {
        const _: () = {
            #[derive(#home::derived::serde::Deserialize, #home::derived::schemars::JsonSchema)]
            #[serde(crate = #serde_path, rename = #name, deny_unknown_fields)]
            #[schemars(crate = #schemars_path)]
            struct __ToolArguments { #(#fields),* }

            #[automatically_derived]
            impl #home::derived::Tool for #unit {
                fn spec(&self) -> &#home::derived::ToolSpec {
                    static SPEC: ::std::sync::LazyLock<#home::derived::ToolSpec> =
                        ::std::sync::LazyLock::new(|| #home::derived::spec::<__ToolArguments>(#name, #told, &[#(#order),*]));
                    &SPEC
                }

                fn hints(&self) -> #home::derived::Hints {
                    #hints
                }

                fn effects(&self, payload: &#home::derived::Payload) -> ::std::vec::Vec<#home::derived::Effect> {
                    #effects
                }

                fn call<'a>(
                    &'a self,
                    ctx: &'a #home::derived::Context,
                    payload: &'a #home::derived::Payload,
                ) -> #home::derived::ToolFuture<'a> {
                    ::std::boxed::Box::pin(async move {
                        let __ToolArguments { #(#idents: #locals),* } = #home::read_arguments(payload)?;
                        let _ = ctx;
                        #call
                    })
                }
            }
        };
    }
}

/// Generates the effects. Without a declaration they are unknown, which policy treats as the worst case.
fn effects(options: &Options, home: &Path) -> TokenStream {
    match &options.effects {
        Some(function) => quote!(#function(payload)),
        None if options.has(Flag::Internal) => {
            quote!(let _ = payload; ::std::vec![#home::derived::Effect::Internal])
        }
        None => quote!(let _ = payload; ::std::vec![#home::derived::Effect::Unknown]),
    }
}

fn call(function: &ItemFn, parameters: &[Parameter], home: &Path) -> TokenStream {
    let ident = &function.sig.ident;
    let given = parameters.iter().map(|parameter| match parameter {
        Parameter::Argument(argument) => argument.local.to_token_stream(),
        Parameter::Context => quote!(ctx),
    });
    let wait = function.sig.asyncness.map(|_| quote!(.await));
    let output = quote!(<#home::derived::Output as ::core::convert::From<_>>::from);
    if can_fail(&function.sig.output) {
        let error = quote!(<#home::derived::ToolError as ::core::convert::From<_>>::from);
        quote!(#ident(#(#given),*) #wait.map(#output).map_err(#error))
    } else {
        quote!(Ok(#output(#ident(#(#given),*) #wait)))
    }
}
