//! The derive of a struct or enum through a shadow type, on which serde and schemars derive.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, DeriveInput, Error, Ident, Path, Result};

use crate::home::home;

pub(crate) fn check_generics(input: &DeriveInput) -> Result<()> {
    if input.generics.params.is_empty() {
        return Ok(());
    }
    let message = "arguments are of one type, because a tool has one schema: take the generics away";
    Err(Error::new_spanned(&input.generics, message))
}

/// Returns the path to `windlass-tool-args`, from `#[tool_args(crate = "..")]` if the attribute is set.
pub(crate) fn read_home(attributes: &[Attribute]) -> Result<Path> {
    let mut told = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("tool_args")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(
                    meta.error("a struct takes `#[tool_args(crate = \"path::to::windlass_tool_args\")]`")
                );
            }
            told = Some(meta.value()?.parse::<syn::LitStr>()?.parse::<Path>()?);
            Ok(())
        })?;
    }
    Ok(home(told.as_ref()))
}

/// Generates `Deserialize` and `JsonSchema` with the impls of the shadow type. `result` is an expression of the schema,
/// from the shadow's `schema`.
pub(crate) fn impls(ident: &Ident, home: &Path, shadow: &Ident, result: &TokenStream) -> TokenStream {
    let (name, id) = (ident.to_string(), format!("::{ident}"));
    quote! {
        #[automatically_derived]
        impl<'de> #home::derived::serde::Deserialize<'de> for #ident {
            fn deserialize<D: #home::derived::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                #shadow::deserialize(deserializer)
            }
        }

        #[automatically_derived]
        impl #home::derived::schemars::JsonSchema for #ident {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(#name)
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(::core::concat!(::core::module_path!(), #id))
            }

            fn json_schema(
                generator: &mut #home::derived::schemars::SchemaGenerator,
            ) -> #home::derived::schemars::Schema {
                let schema = <#shadow as #home::derived::schemars::JsonSchema>::json_schema(generator);
                #result
            }
        }
    }
}
