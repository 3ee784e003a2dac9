//! The function under `#[tool]`: its parameters and the checks of its signature.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Attribute, Error, FnArg, Ident, ItemFn, Pat, PatType, Result, ReturnType, Type};

use crate::description::description;
use crate::field::{doc_attribute, iter_forwarded};
use crate::serde_attributes::OnField;

/// A parameter of the function.
pub(crate) enum Parameter {
    /// An argument that the model writes.
    Argument(Box<Argument>),
    /// The context of the call.
    Context,
}

/// An argument that the model writes.
pub(crate) struct Argument {
    pub(crate) ident: Ident,
    /// The name of a local variable that does not shadow the function or its context.
    pub(crate) local: Ident,
    /// The argument's name in JSON.
    pub(crate) name: String,
    ty: Type,
    attributes: Vec<Attribute>,
}

/// Parses the attributes of the parameters and removes them, because rustc does not accept them on a
/// function.
pub(crate) fn parameters(function: &mut ItemFn) -> Result<Vec<Parameter>> {
    let signature = &mut function.sig;
    if !signature.generics.params.is_empty() {
        let message = "a tool has one schema: take the generics away";
        return Err(Error::new_spanned(&signature.generics, message));
    }
    signature.inputs.iter_mut().enumerate().map(|(position, input)| parameter(input, position)).collect()
}

fn parameter(parameter: &mut FnArg, position: usize) -> Result<Parameter> {
    match parameter {
        FnArg::Receiver(receiver) => {
            let message = "a tool with state implements `Tool`: `#[tool]` is for functions";
            Err(Error::new_spanned(receiver, message))
        }
        FnArg::Typed(typed) if is_context(&typed.ty) => {
            typed.attrs.clear();
            Ok(Parameter::Context)
        }
        FnArg::Typed(typed) => {
            argument(typed, position).map(|argument| Parameter::Argument(Box::new(argument)))
        }
    }
}

fn argument(typed: &mut PatType, position: usize) -> Result<Argument> {
    let Pat::Ident(name) = &*typed.pat else {
        return Err(Error::new_spanned(&typed.pat, "an argument has a name: take it apart in the body"));
    };
    match &*typed.ty {
        Type::Reference(_) => {
            let message = "an argument is owned: take `String`, `Vec<..>` or the like";
            return Err(Error::new_spanned(&typed.ty, message));
        }
        Type::ImplTrait(_) => {
            return Err(Error::new_spanned(&typed.ty, "an argument has a type of its own, for the schema"));
        }
        _ => {}
    }
    let attributes = std::mem::take(&mut typed.attrs);
    let known = ["doc", "serde", "schemars"];
    if let Some(other) =
        attributes.iter().find(|attribute| known.iter().all(|name| !attribute.path().is_ident(name)))
    {
        let message = "an argument takes a doc comment, `#[serde(..)]` and `#[schemars(..)]`";
        return Err(Error::new_spanned(other, message));
    }
    let told = OnField::read(&attributes)?.name;
    let ident = name.ident.clone();
    let name = told.unwrap_or_else(|| ident.unraw().to_string());
    let local = format_ident!("__argument_{position}");
    Ok(Argument { ident, local, name, ty: (*typed.ty).clone(), attributes })
}

impl Argument {
    /// Returns the argument as a struct field.
    pub(crate) fn field(&self) -> TokenStream {
        let Self { ident, ty, attributes, .. } = self;
        let docs = doc_attribute(&description(attributes));
        let attributes = iter_forwarded(attributes);
        quote!(#docs #(#attributes)* #ident: #ty)
    }
}

/// Returns whether the type is `&Context`, under any path.
fn is_context(ty: &Type) -> bool {
    let Type::Reference(reference) = ty else { return false };
    last_segment(&reference.elem).is_some_and(|name| name == "Context")
}

/// Returns whether the function returns a `Result`, under any path.
pub(crate) fn can_fail(output: &ReturnType) -> bool {
    match output {
        ReturnType::Default => false,
        ReturnType::Type(_, ty) => last_segment(ty).is_some_and(|name| name == "Result"),
    }
}

fn last_segment(ty: &Type) -> Option<&Ident> {
    let Type::Path(path) = ty else { return None };
    path.path.segments.last().map(|segment| &segment.ident)
}
