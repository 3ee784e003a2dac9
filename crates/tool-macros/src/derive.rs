//! `#[derive(ToolArgs)]`: parsing of the struct, and its impls of `Deserialize` and `JsonSchema`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Ident, Path, Result, Visibility};

use crate::argument::order;
use crate::description::description;
use crate::enumeration;
use crate::field::{Field, doc_attribute, iter_forwarded};
use crate::home::text;
use crate::partial;
use crate::serde_attributes::OnStruct;
use crate::shadow::{check_generics, impls, read_home};

/// A parsed struct of a tool's arguments.
pub(crate) struct Arguments<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) visibility: &'a Visibility,
    pub(crate) partial: Ident,
    pub(crate) home: Path,
    pub(crate) serde: OnStruct,
    pub(crate) fields: Vec<Field<'a>>,
}

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    if let Data::Enum(variants) = &input.data {
        return enumeration::expand(input, variants);
    }
    let arguments = read(input)?;
    let values = values(&arguments, input);
    let partial = partial::expand(&arguments);
    Ok(quote!(#values #partial))
}

fn read(input: &DeriveInput) -> Result<Arguments<'_>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "arguments are a struct with named fields, not a union",
        ));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "arguments have names: use a struct with named fields"));
    };
    check_generics(input)?;
    let serde = OnStruct::read(&input.attrs)?;
    let fields: Vec<_> = fields
        .named
        .iter()
        .map(|field| Field::read(field, &input.ident, serde.case))
        .collect::<Result<_>>()?;
    if fields.len() >= usize::from(u16::MAX) {
        return Err(Error::new(input.span(), "a struct has fewer fields than this number"));
    }
    Ok(Arguments {
        ident: &input.ident,
        visibility: &input.vis,
        partial: format_ident!("Partial{}", input.ident),
        home: read_home(&input.attrs)?,
        serde,
        fields,
    })
}

/// Generates `Deserialize` and `JsonSchema` through a shadow struct with the same fields, on which serde and
/// schemars derive.
fn values(arguments: &Arguments<'_>, input: &DeriveInput) -> TokenStream {
    let Arguments { ident, home, fields, serde, .. } = arguments;
    let name = ident.to_string();
    let (serde_path, schemars_path) = (text(home, "derived::serde"), text(home, "derived::schemars"));
    let attributes = iter_forwarded(&input.attrs);
    let docs = doc_attribute(&description(&input.attrs));
    let rename = (!serde.is_renamed).then(|| quote!(#[serde(rename = #name)]));
    // A name that does not collide with the type of a field.
    let shadow = Ident::new("__ToolArgsShadow", Span::mixed_site());
    let defaults = fields.iter().filter_map(Field::default_function);
    let shadow_fields = fields.iter().map(Field::shadow);
    let idents: Vec<_> = fields.iter().map(|field| field.ident.to_token_stream()).collect();
    let order =
        order(home, fields.iter().map(|field| (&field.name, field.is_flat.then(|| field.ty.clone()))));
    let mut schema = quote!(#home::derived::with_order(schema, &#order));
    if docs.is_none() && fields.iter().any(|field| field.is_flat) {
        schema = quote!(#home::derived::remove_description(#schema));
    }
    let impls = impls(ident, home, &shadow, &schema);
    let default = serde.has_default.then(|| {
        quote! {
            impl ::core::default::Default for #shadow {
                fn default() -> Self {
                    let #ident { #(#idents),* } = <#ident as ::core::default::Default>::default();
                    Self { #(#idents),* }
                }
            }
        }
    });
    quote! {
        const _: () = {
            #[derive(#home::derived::serde::Deserialize, #home::derived::schemars::JsonSchema)]
            #[serde(crate = #serde_path, remote = #name)]
            #[schemars(crate = #schemars_path)]
            #rename
            #(#attributes)*
            #docs
            #[allow(dead_code)]
            struct #shadow { #(#shadow_fields),* }

            #(#defaults)*

            #default

            #impls
        };
    }
}
