//! The arguments of a function under `#[tool]`, and the struct that holds them.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Ident, Pat, PatType, Path, Result, Type, Visibility};

use crate::description::description;
use crate::field::{doc_attribute, iter_forwarded, respan};
use crate::home::text;
use crate::local::local;
use crate::options::Options;
use crate::own_attributes::OwnAttributes;
use crate::parameter_type::reference_message;
use crate::serde_attributes::OnField;

/// An argument that the model writes.
pub(crate) struct Argument {
    ident: Ident,
    /// The name of a local variable that does not shadow the function or its context.
    pub(crate) local: Ident,
    /// The argument's name in JSON.
    name: String,
    /// True if the members of the value are members of the arguments.
    is_flat: bool,
    ty: Type,
    attributes: Vec<Attribute>,
    own: OwnAttributes,
}

impl Argument {
    pub(crate) fn read(typed: &PatType, position: usize, options: &Options) -> Result<Self> {
        let attributes = typed.attrs.clone();
        check_attributes(&attributes)?;
        let serde = OnField::read(&attributes)?;
        let own = OwnAttributes::read(&attributes, serde.is_flat)?;
        if own.is_whole && options.arguments.is_none() {
            let message = "only a struct of arguments is shown while it arrives: name it with \
                           `#[tool(arguments = ..)]`, or take `whole` away";
            let attribute = attributes.iter().find(|attribute| attribute.path().is_ident("tool_args"));
            return Err(Error::new_spanned(attribute, message));
        }
        let ident = match &*typed.pat {
            Pat::Ident(pattern) => pattern.ident.clone(),
            // The members of a flattened struct have its names, so a pattern can take the struct apart.
            _ if serde.is_flat => format_ident!("__flat_{position}"),
            other => {
                return Err(Error::new_spanned(other, "an argument has a name: take it apart in the body"));
            }
        };
        match &*typed.ty {
            ty @ Type::Reference(_) => return Err(Error::new_spanned(ty, reference_message(ty))),
            Type::ImplTrait(ty) => {
                return Err(Error::new_spanned(ty, "an argument has a type of its own, for the schema"));
            }
            _ => {}
        }
        let name = serde.name.unwrap_or_else(|| options.case.apply(&ident.unraw().to_string()));
        let local = format_ident!("__argument_{position}");
        Ok(Self { ident, local, name, is_flat: serde.is_flat, ty: (*typed.ty).clone(), attributes, own })
    }

    /// Returns the argument as a struct field.
    fn field(&self) -> TokenStream {
        let Self { ident, ty, attributes, .. } = self;
        let docs = doc_attribute(&description(attributes));
        let attributes = iter_forwarded(attributes);
        let default = self.own.default_function(ident, ty).map(|(attribute, _)| attribute);
        quote!(#docs #(#attributes)* #default #ident: #ty)
    }

    /// Generates the function of the argument's default, for the scope of the struct.
    fn default_function(&self) -> Option<TokenStream> {
        self.own.default_function(&self.ident, &self.ty).map(|(_, function)| function)
    }

    /// Generates a statement that does not compile if the type cannot be an argument.
    fn check(&self, home: &Path) -> TokenStream {
        let ty = &self.ty;
        let home = respan(quote!(#home), ty.span());
        quote_spanned!(ty.span()=> #home::derived::assert_argument::<#ty>();)
    }

    /// Returns the argument as a field of a struct with `#[derive(ToolArgs)]`.
    fn public_field(&self, visibility: &Visibility) -> TokenStream {
        let Self { ident, ty, attributes, .. } = self;
        quote!(#(#attributes)* #visibility #ident: #ty)
    }
}

fn check_attributes(attributes: &[Attribute]) -> Result<()> {
    for attribute in attributes {
        let is_one_of = |names: &[&str]| names.iter().any(|name| attribute.path().is_ident(name));
        if !is_one_of(&["doc", "serde", "schemars", "tool_args"]) {
            let message =
                "an argument takes a doc comment, `#[serde(..)]`, `#[schemars(..)]` and `#[tool_args(..)]`";
            return Err(Error::new_spanned(attribute, message));
        }
    }
    Ok(())
}

/// The type that holds the arguments of a call.
pub(crate) enum Holder<'a> {
    /// A generated struct without a name for the author.
    Hidden(Vec<&'a Argument>),
    /// A generated struct with `#[derive(ToolArgs)]` and the name that the author set.
    Named(&'a Ident, Vec<&'a Argument>),
    /// The author's own struct, which is the only argument.
    Own(&'a Argument),
}

impl<'a> Holder<'a> {
    pub(crate) fn new(options: &'a Options, arguments: Vec<&'a Argument>) -> Self {
        match (&options.arguments, arguments.as_slice()) {
            (Some(name), _) => Self::Named(name, arguments),
            (None, [argument]) if argument.is_flat => Self::Own(argument),
            (None, _) => Self::Hidden(arguments),
        }
    }

    /// Returns the type.
    pub(crate) fn ty(&self) -> TokenStream {
        match self {
            Self::Hidden(_) => quote!(__ToolArguments),
            Self::Named(name, _) => quote!(#name),
            Self::Own(argument) => {
                let ty = &argument.ty;
                quote!(#ty)
            }
        }
    }

    /// Returns whether the type has a partial struct.
    pub(crate) fn is_typed(&self) -> bool {
        !matches!(self, Self::Hidden(_))
    }

    /// Generates the definition of the hidden struct, for the scope of the impl.
    pub(crate) fn define_private(&self, options: &Options, name: &str, home: &Path) -> Option<TokenStream> {
        let Self::Hidden(arguments) = self else { return None };
        let (serde_path, schemars_path) = (text(home, "derived::serde"), text(home, "derived::schemars"));
        let fields = arguments.iter().map(|argument| argument.field());
        let rename_all = options.rename_all();
        let defaults = arguments.iter().filter_map(|argument| argument.default_function());
        let checks = arguments.iter().map(|argument| argument.check(home));
        Some(quote! {
            #[allow(dead_code)]
            fn __check_arguments() { #(#checks)* }

            #[derive(#home::derived::serde::Deserialize, #home::derived::schemars::JsonSchema)]
            #[serde(crate = #serde_path, rename = #name, deny_unknown_fields)]
            #[schemars(crate = #schemars_path)]
            #rename_all
            struct __ToolArguments { #(#fields),* }

            #(#defaults)*
        })
    }

    /// Generates the definition of the named struct, for the scope of the function.
    pub(crate) fn define_public(
        &self,
        options: &Options,
        visibility: &Visibility,
        home: &Path,
    ) -> Option<TokenStream> {
        let Self::Named(ident, arguments) = self else { return None };
        let path = quote!(#home).to_string().replace(' ', "");
        let fields = arguments.iter().map(|argument| argument.public_field(visibility));
        let rename_all = options.rename_all();
        Some(quote! {
            // The model would read a generated documentation, which has no information.
            #[allow(missing_docs)]
            #[derive(::core::fmt::Debug, #home::ToolArgs)]
            #[serde(deny_unknown_fields)]
            #rename_all
            #[tool_args(crate = #path)]
            #visibility struct #ident { #(#fields),* }
        })
    }

    /// Generates the expression of the tool's spec.
    pub(crate) fn spec(&self, name: &str, told: &str, home: &Path) -> TokenStream {
        let ty = self.ty();
        match self {
            Self::Hidden(arguments) => {
                let order =
                    order(home, arguments.iter().map(|argument| (&argument.name, flat_type(argument))));
                quote!(#home::derived::spec::<#ty>(#name, #told, &#order))
            }
            Self::Named(..) => quote!(#home::derived::spec_of::<#ty>(#name, #told)),
            Self::Own(argument) => {
                quote_spanned!(argument.ty.span()=> #home::derived::spec_of::<#ty>(#name, #told))
            }
        }
    }

    /// Generates the statement that parses the payload into the local variables of the arguments.
    pub(crate) fn read(&self, home: &Path) -> TokenStream {
        let (ty, payload) = (self.ty(), local("payload"));
        let read = match self {
            Self::Hidden(_) => quote!(read_arguments),
            Self::Named(..) | Self::Own(_) => quote!(derived::read_typed),
        };
        let pattern = match self {
            Self::Hidden(arguments) | Self::Named(_, arguments) => {
                let idents = arguments.iter().map(|argument| &argument.ident);
                let locals = arguments.iter().map(|argument| &argument.local);
                quote!(#ty { #(#idents: #locals),* })
            }
            Self::Own(argument) => argument.local.to_token_stream(),
        };
        quote!(let #pattern = #home::#read::<#ty>(#payload)?;)
    }
}

fn flat_type(argument: &Argument) -> Option<TokenStream> {
    let ty = &argument.ty;
    argument.is_flat.then(|| quote!(#ty))
}

/// Generates an expression of the names of members in order. A flattened member is replaced by the members
/// of its type.
pub(crate) fn order<'a>(
    home: &Path,
    members: impl Iterator<Item = (&'a String, Option<TokenStream>)>,
) -> TokenStream {
    let members: Vec<_> = members.collect();
    if members.iter().all(|(_, flat)| flat.is_none()) {
        let names = members.iter().map(|(name, _)| name);
        return quote!([#(#names),*]);
    }
    let parts = members.iter().map(|(name, flat)| {
        flat.as_ref().map_or_else(
            || quote!(&[#name][..]),
            |ty| quote_spanned!(ty.span()=> &<#ty as #home::ToolArgs>::member_names()[..]),
        )
    });
    quote!([#(#parts),*].concat())
}
