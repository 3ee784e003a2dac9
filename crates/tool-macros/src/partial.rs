//! The generated partial struct and its update from parser steps.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::argument::order;
use crate::derive::Arguments;
use crate::field::{Field, doc_attribute, respan};
use crate::serde_attributes::Missing;

pub(crate) fn expand(arguments: &Arguments<'_>) -> TokenStream {
    let definition = definition(arguments);
    let filling = filling(arguments);
    let settling = settling(arguments);
    quote!(#definition #filling #settling)
}

fn definition(arguments: &Arguments<'_>) -> TokenStream {
    let Arguments { ident, visibility, partial, home, fields, .. } = arguments;
    let docs = format!("[`{ident}`] while it arrives: for showing, never for running.");
    let shown = fields.iter().map(|field| {
        let (ident, name) = (field.ident, field.ident.unraw().to_string());
        quote!(.field(#name, &self.#ident))
    });
    let title = partial.to_string();
    let fields = fields.iter().map(|field| {
        let Field { ident, visibility, ty, docs, name, .. } = field;
        let docs = doc_attribute(docs).unwrap_or_else(|| {
            let docs = format!("`{name}`, as far as it has come.");
            quote!(#[doc = #docs])
        });
        // Use the field's span, so that the error for an unsupported type points to the field.
        let home = respan(home.to_token_stream(), ty.span());
        let ty = if field.is_whole { quote!(#home::Whole<#ty>) } else { quote!(#ty) };
        let partial = quote_spanned!(ty.span()=> #home::Partial<#ty>);
        quote!(#docs #visibility #ident: #partial)
    });
    quote! {
        #[doc = #docs]
        #[derive(::core::default::Default)]
        #visibility struct #partial {
            #(#fields,)*
            __place: #home::derived::Place,
        }

        #[automatically_derived]
        impl ::core::fmt::Debug for #partial {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(#title)#(#shown)*.finish()
            }
        }
    }
}

fn filling(arguments: &Arguments<'_>) -> TokenStream {
    let Arguments { ident, partial, home, .. } = arguments;
    let grow = grow(arguments);
    let end = end(arguments);
    quote! {
        #[automatically_derived]
        impl #home::PartialValue for #ident {
            type Growing = #partial;

            fn begin(kind: #home::derived::Kind) -> #home::FirstByteAction<#partial> {
                match kind {
                    #home::derived::Kind::Object => {
                        #home::FirstByteAction::Growing(<#partial as ::core::default::Default>::default())
                    }
                    _ => #home::FirstByteAction::Wrong("an object"),
                }
            }

            #grow
            #end

            fn absent() -> ::core::option::Option<Self> {
                None
            }
        }
    }
}

/// Generates `grow`, which dispatches a step to the member that it concerns.
fn grow(arguments: &Arguments<'_>) -> TokenStream {
    let Arguments { partial, home, fields, .. } = arguments;
    let members = fields.iter().zip(0_u16..).map(|(field, member)| {
        if let Some(ty) = flat(field) {
            return quote!(key if <#ty as #home::ToolArgs>::has_member(key) => Some(#member));
        }
        let keys = field.keys();
        quote!(#(#keys)|* => Some(#member))
    });
    let flats = fields.iter().zip(0_u16..).filter(|(field, _)| field.is_flat).map(|(field, member)| {
        let ident = field.ident;
        quote!(#member => return growing.#ident.apply_flat(step, mismatches),)
    });
    let fills = fields.iter().zip(0_u16..).map(|(field, member)| {
        let ident = field.ident;
        quote!(#member => growing.#ident.turn(part, mismatches))
    });
    let flats: Vec<_> = flats.collect();
    let flats = (!flats.is_empty()).then(|| quote!(match member { #(#flats)* _ => {} }));
    let insides = fields.iter().zip(0_u16..).map(|(field, member)| {
        let ident = field.ident;
        quote!(#member => growing.#ident.apply_inside(step, mismatches))
    });
    quote! {
        #[inline]
        fn grow(
            growing: &mut #partial,
            step: &#home::derived::NestedChange<'_>,
            mismatches: &mut #home::Mismatches,
        ) {
            let member_of = |key: &str| -> ::core::option::Option<u16> {
                match key {
                    #(#members,)*
                    _ => None,
                }
            };
            let Some((member, part)) = growing.__place.part(step, member_of) else { return };
            #flats
            if let #home::derived::Part::Inside = part {
                return match member {
                    #(#insides,)*
                    _ => {}
                };
            }
            let fits: bool = match member {
                #(#fills,)*
                _ => true,
            };
            growing.__place.note(fits);
        }
    }
}

/// Generates `end`, which converts the partial struct into the struct if all members are complete.
fn end(arguments: &Arguments<'_>) -> TokenStream {
    let Arguments { partial, home, fields, .. } = arguments;
    let patterns = fields.iter().map(|field| {
        let ident = field.ident;
        if field.is_whole {
            quote!(#ident: #home::Partial::Complete(#home::Whole(#ident)))
        } else {
            quote!(#ident: #home::Partial::Complete(#ident))
        }
    });
    let idents = fields.iter().map(|field| field.ident);
    quote! {
        fn end(
            mut growing: #partial,
            object: #home::derived::Node<'_>,
            mismatches: &mut #home::Mismatches,
        ) -> ::core::result::Result<Self, #partial> {
            if !<Self as #home::ToolArgs>::settle(&mut growing, object, mismatches) {
                return Err(growing);
            }
            match growing {
                #partial { #(#patterns,)* .. } => Ok(Self { #(#idents),* }),
                growing => Err(growing),
            }
        }
    }
}

/// Generates `settle`, which fills in defaults of members that never arrived.
fn settling(arguments: &Arguments<'_>) -> TokenStream {
    let Arguments { ident, home, fields, serde, .. } = arguments;
    let defaults: Vec<_> = fields.iter().map(|field| format_ident!("default_{}", field.ident)).collect();
    let container = serde.has_default.then(|| {
        let idents = fields.iter().map(|field| field.ident);
        quote! {
            let Self { #(#idents: #defaults),* } = <Self as ::core::default::Default>::default();
        }
    });
    let settles = fields.iter().zip(&defaults).map(|(field, default)| {
        let Field { ident, name, missing, is_whole, is_flat, .. } = field;
        if *is_flat {
            return quote!(fits &= growing.#ident.settle_flat(object, mismatches););
        }
        let value = match missing {
            Missing::Function(function) => Some(quote!(#function())),
            Missing::Value(value) => Some(quote!(#value)),
            Missing::Default => Some(quote!(::core::default::Default::default())),
            Missing::Error if serde.has_default => Some(quote!(#default)),
            Missing::Error => None,
        };
        let value = match (value, is_whole) {
            (Some(value), true) => quote!(Some(#home::Whole(#value))),
            (Some(value), false) => quote!(Some(#value)),
            (None, _) => quote!(None),
        };
        quote!(fits &= growing.#ident.settle(|| #value, object, #name, mismatches);)
    });
    let denies = serde.denies_unknown.then(|| quote!(fits &= growing.__place.knows_all(object, mismatches);));
    let members = members(arguments);
    quote! {
        #[automatically_derived]
        impl #home::ToolArgs for #ident {
            #members

            fn settle(
                growing: &mut <Self as #home::PartialValue>::Growing,
                object: #home::derived::Node<'_>,
                mismatches: &mut #home::Mismatches,
            ) -> bool {
                let mut fits = growing.__place.fits();
                #container
                #(#settles)*
                #denies
                fits
            }
        }
    }
}

/// Generates `has_member` and `member_names`, which a struct uses that has this one as a flattened field.
fn members(arguments: &Arguments<'_>) -> TokenStream {
    let Arguments { home, fields, .. } = arguments;
    let keys = fields.iter().filter(|field| !field.is_flat).flat_map(Field::keys);
    let flats = fields.iter().filter_map(flat);
    let order = order(home, fields.iter().map(|field| (&field.name, flat(field))));
    quote! {
        fn has_member(key: &str) -> bool {
            [#(#keys),*].contains(&key) #(|| <#flats as #home::ToolArgs>::has_member(key))*
        }

        fn member_names() -> ::std::vec::Vec<&'static str> {
            #order.to_vec()
        }
    }
}

/// Returns the type of a flattened field.
fn flat(field: &Field<'_>) -> Option<TokenStream> {
    field.is_flat.then(|| field.ty.clone())
}
