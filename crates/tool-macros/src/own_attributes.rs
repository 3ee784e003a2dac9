//! The attribute `#[tool_args(..)]` of a field or parameter.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::{Attribute, Expr, Ident, Result, Token};

/// The options of a field or parameter.
#[derive(Default)]
pub(crate) struct OwnAttributes {
    /// True if the value is only shown when it is complete.
    pub(crate) is_whole: bool,
    /// The value of a member that never arrived.
    pub(crate) default: Option<Expr>,
}

impl OwnAttributes {
    pub(crate) fn read(attributes: &[Attribute], is_flat: bool) -> Result<Self> {
        let mut read = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("tool_args")) {
            attribute.parse_nested_meta(|meta| {
                if is_flat {
                    return Err(
                        meta.error("a flattened field has no value of its own: take the attribute away")
                    );
                }
                if meta.path.is_ident("whole") {
                    read.is_whole = true;
                } else if meta.path.is_ident("default") && meta.input.peek(Token![=]) {
                    read.default = Some(meta.value()?.parse()?);
                } else {
                    return Err(
                        meta.error("a field takes `#[tool_args(whole)]` and `#[tool_args(default = ..)]`")
                    );
                }
                Ok(())
            })?;
        }
        Ok(read)
    }

    /// Generates serde's attribute for the default, and the function that the attribute names.
    pub(crate) fn default_function(
        &self,
        field: &Ident,
        ty: &impl ToTokens,
    ) -> Option<(TokenStream, TokenStream)> {
        let default = self.default.as_ref()?;
        let function = format_ident!("__default_{}", field.unraw());
        let name = function.to_string();
        let definition = quote! {
            #[allow(clippy::unnecessary_wraps)]
            fn #function() -> #ty { #default }
        };
        Some((quote!(#[serde(default = #name)]), definition))
    }
}
