//! A field of an argument struct.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Attribute, Ident, Result, Visibility};

use crate::case::Case;
use crate::description::description;
use crate::own_attributes::OwnAttributes;
use crate::serde_attributes::{Missing, OnField};

/// A field of an argument struct.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) visibility: &'a Visibility,
    /// The type with `Self` replaced by the struct's name, because two generated structs also have this
    /// field.
    pub(crate) ty: TokenStream,
    /// The member's name in JSON.
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) missing: Missing,
    /// True if the field is only shown when it is complete.
    pub(crate) is_whole: bool,
    /// True if the members of the value are members of the surrounding object.
    pub(crate) is_flat: bool,
    pub(crate) docs: String,
    own: OwnAttributes,
    attributes: &'a [Attribute],
}

impl<'a> Field<'a> {
    pub(crate) fn read(field: &'a syn::Field, owner: &Ident, case: Case) -> Result<Self> {
        let Some(ident) = &field.ident else {
            return Err(syn::Error::new_spanned(field, "arguments have names: give the field one"));
        };
        let serde = OnField::read(&field.attrs)?;
        let own = OwnAttributes::read(&field.attrs, serde.is_flat)?;
        let missing = own.default.clone().map_or(serde.missing, Missing::Value);
        Ok(Self {
            ident,
            visibility: &field.vis,
            ty: replace_self(field.ty.to_token_stream(), &owner.to_token_stream()),
            name: serde.name.unwrap_or_else(|| case.apply(&ident.unraw().to_string())),
            aliases: serde.aliases,
            missing,
            is_whole: own.is_whole,
            own,
            is_flat: serde.is_flat,
            docs: description(&field.attrs),
            attributes: &field.attrs,
        })
    }

    /// Returns the field for the shadow struct of serde and schemars.
    pub(crate) fn shadow(&self) -> TokenStream {
        let Self { ident, ty, .. } = self;
        let attributes = iter_forwarded(self.attributes);
        let docs = doc_attribute(&self.docs);
        let default = self.own.default_function(ident, ty).map(|(attribute, _)| attribute);
        quote!(#docs #(#attributes)* #default #ident: #ty)
    }

    /// Generates the function of the field's default, for the scope of the shadow struct.
    pub(crate) fn default_function(&self) -> Option<TokenStream> {
        self.own.default_function(self.ident, &self.ty).map(|(_, function)| function)
    }

    /// Iterates over the JSON keys of this field.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.name).chain(&self.aliases)
    }
}

/// Replaces `Self` with the tokens of a type.
pub(crate) fn replace_self(tokens: TokenStream, owner: &TokenStream) -> TokenStream {
    let replaced = |token| match token {
        TokenTree::Ident(ident) if ident == "Self" => respan(owner.clone(), ident.span()),
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), replace_self(group.stream(), owner));
            inner.set_span(group.span());
            TokenTree::from(inner).into()
        }
        other => TokenStream::from(other),
    };
    tokens.into_iter().flat_map(replaced).collect()
}

/// Sets the span of the tokens, so that an error about them points there.
pub(crate) fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    let placed = |mut token: TokenTree| {
        token.set_span(span);
        token
    };
    tokens.into_iter().map(placed).collect()
}

/// Iterates over the attributes of a struct or field that serde and schemars read, without `#[serde(crate = ..)]`,
/// which a derive of `Serialize` beside the one of `ToolArgs` needs.
pub(crate) fn iter_forwarded(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| {
        (attribute.path().is_ident("serde") && !is_crate(attribute)) || attribute.path().is_ident("schemars")
    })
}

/// Returns whether the attribute contains only `crate = ".."`.
fn is_crate(attribute: &Attribute) -> bool {
    let parsed = attribute.parse_args::<syn::MetaNameValue>();
    parsed.is_ok_and(|meta| meta.path.is_ident("crate"))
}

pub(crate) fn doc_attribute(text: &str) -> Option<TokenStream> {
    (!text.is_empty()).then(|| quote!(#[doc = #text]))
}
