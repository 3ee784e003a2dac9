//! The signature under `#[tool]`: its receiver and its parameters.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Error, FnArg, Ident, Pat, PatType, ReceiverKind, Result, Signature, Type};

use crate::argument::Argument;
use crate::options::Options;
use crate::parameter_type::{is_context, is_named, is_state};

/// A parameter of the function.
pub(crate) enum Parameter {
    /// An argument that the model writes.
    Argument(Box<Argument>),
    /// The context of the call.
    Context,
    /// State that the application passes when it creates the tool.
    State(Box<State>),
}

/// A parameter `State<..>`.
pub(crate) struct State {
    /// The field of the generated struct.
    pub(crate) field: Ident,
    /// The parameter of the generated constructor.
    pub(crate) name: Ident,
    pub(crate) ty: Type,
}

/// The receiver of a method.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Receiver {
    /// `&self`
    Shared,
    /// `self: &Arc<Self>`
    SharedArc,
    /// `self: Arc<Self>`
    OwnedArc,
}

/// Parses the parameters without the receiver.
pub(crate) fn parameters(signature: &Signature, options: &Options) -> Result<Vec<Parameter>> {
    if !signature.generics.params.is_empty() {
        let message = "a tool has one schema: take the generics away";
        return Err(Error::new_spanned(&signature.generics, message));
    }
    let typed = signature.inputs.iter().enumerate().filter_map(|(position, input)| match input {
        FnArg::Typed(typed) => Some((position, typed)),
        FnArg::Receiver(_) => None,
    });
    typed.map(|(position, typed)| parameter(typed, position, options)).collect()
}

fn parameter(typed: &PatType, position: usize, options: &Options) -> Result<Parameter> {
    if is_context(&typed.ty) {
        return Ok(Parameter::Context);
    }
    if is_state(&typed.ty) {
        let name = match &*typed.pat {
            Pat::Ident(pattern) => pattern.ident.clone(),
            _ => format_ident!("state_{position}"),
        };
        let field = format_ident!("__state_{position}");
        return Ok(Parameter::State(Box::new(State { field, name, ty: (*typed.ty).clone() })));
    }
    Argument::read(typed, position, options).map(|argument| Parameter::Argument(Box::new(argument)))
}

/// Removes the attributes of the parameters, because rustc does not accept them on a function.
pub(crate) fn remove_attributes(signature: &mut Signature) {
    for input in &mut signature.inputs {
        if let FnArg::Typed(typed) = input {
            typed.attrs.clear();
        }
    }
}

/// Parses the receiver of a method.
pub(crate) fn receiver(signature: &Signature) -> Result<Option<Receiver>> {
    let Some(receiver) = signature.receiver() else { return Ok(None) };
    let kind = match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => Some(Receiver::Shared),
        ReceiverKind::Typed(_, ty) => typed_receiver(ty),
        _ => None,
    };
    let message = "several calls of a tool run at once: take `&self`, and hold what changes in a `Mutex`";
    kind.map(Some).ok_or_else(|| Error::new_spanned(receiver, message))
}

fn typed_receiver(ty: &Type) -> Option<Receiver> {
    match ty {
        Type::Reference(reference) if is_named(&reference.elem, "Self") => Some(Receiver::Shared),
        Type::Reference(reference) if is_named(&reference.elem, "Arc") => Some(Receiver::SharedArc),
        ty if is_named(ty, "Arc") => Some(Receiver::OwnedArc),
        _ => None,
    }
}

impl Receiver {
    /// Returns the expression that passes the shared value `set`, an `Arc`, to the method.
    pub(crate) fn pass(self, set: &TokenStream) -> TokenStream {
        match self {
            Self::Shared => quote!(&*#set),
            Self::SharedArc => quote!(&#set),
            Self::OwnedArc => quote!(::std::sync::Arc::clone(&#set)),
        }
    }
}

impl ToTokens for State {
    /// Generates the parameter of the constructor.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { name, ty, .. } = self;
        tokens.extend(quote!(#name: impl ::core::convert::Into<#ty>));
    }
}
