//! `#[derive(ToolArgs)]`: parsing of the struct, and its impls of `Deserialize` and `JsonSchema`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Ident, Path, Result, Visibility};

use crate::argument::order;
use crate::description::description;
use crate::enumeration;
use crate::field::{Field, doc_attribute, iter_forwarded};
use crate::home::{home, text};
use crate::partial;
use crate::serde_attributes::OnStruct;

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
        return Err(Error::new(input.span(), "nobody writes that many arguments"));
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
    let shadow_fields = fields.iter().map(Field::shadow);
    let idents: Vec<_> = fields.iter().map(|field| field.ident.to_token_stream()).collect();
    let order =
        order(home, fields.iter().map(|field| (&field.name, field.is_flat.then(|| field.ty.clone()))));
    let mut schema = quote!(#home::derived::with_order(schema, &#order));
    if docs.is_none() && fields.iter().any(|field| field.is_flat) {
        schema = quote!(#home::derived::without_description(#schema));
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

            #default

            #impls
        };
    }
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
