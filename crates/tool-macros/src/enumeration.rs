//! `#[derive(ToolArgs)]` on an enum: a value inside of arguments, which is shown when it is complete.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{DataEnum, DeriveInput, Ident, Result, Variant};

use crate::description::description;
use crate::field::{doc_attribute, iter_forwarded, replace_self};
use crate::home::text;
use crate::shadow::{check_generics, impls, read_home};

/// Generates `Deserialize`, `JsonSchema` and `PartialValue` through a shadow enum with the same variants, on which serde
/// and schemars derive.
pub(crate) fn expand(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    check_generics(input)?;
    let ident = &input.ident;
    let home = read_home(&input.attrs)?;
    let (serde_path, schemars_path) = (text(&home, "derived::serde"), text(&home, "derived::schemars"));
    let name = ident.to_string();
    let attributes = iter_forwarded(&input.attrs);
    let docs = doc_attribute(&description(&input.attrs));
    let variants = data.variants.iter().map(|variant| shadow_variant(variant, ident));
    // A name that does not collide with the type of a field.
    let shadow = Ident::new("__ToolArgsShadow", Span::mixed_site());
    let impls = impls(ident, &home, &shadow, &quote!(schema));
    Ok(quote! {
        const _: () = {
            #[derive(#home::derived::serde::Deserialize, #home::derived::schemars::JsonSchema)]
            #[serde(crate = #serde_path, remote = #name)]
            #[schemars(crate = #schemars_path)]
            #(#attributes)*
            #docs
            #[allow(dead_code)]
            enum #shadow { #(#variants),* }

            #impls

            #[automatically_derived]
            impl #home::PartialValue for #ident {
                type Growing = ::core::convert::Infallible;
            }
        };
    })
}

/// Returns the variant with the attributes that serde and schemars read, and with joined lines of its documentation.
fn shadow_variant(variant: &Variant, owner: &Ident) -> TokenStream {
    let mut variant = variant.clone();
    let docs = doc_attribute(&description(&variant.attrs));
    variant.attrs = iter_forwarded(&variant.attrs).cloned().collect();
    for field in &mut variant.fields {
        let docs = description(&field.attrs);
        field.attrs = iter_forwarded(&field.attrs).cloned().collect();
        if !docs.is_empty() {
            field.attrs.push(syn::parse_quote!(#[doc = #docs]));
        }
    }
    let variant = replace_self(variant.to_token_stream(), &owner.to_token_stream());
    quote!(#docs #variant)
}
