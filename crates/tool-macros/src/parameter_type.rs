//! Types of parameters that the macro recognizes by their names.

use syn::{GenericArgument, PathArguments, Type};

/// Returns the message for a parameter that is a reference.
pub(crate) fn reference_message(ty: &Type) -> &'static str {
    match ty {
        Type::Reference(reference) if is_state(&reference.elem) => {
            "a state is passed by value, and its clones are cheap: take `State<..>` without the `&`"
        }
        Type::Reference(reference) if is_named(&reference.elem, "str") => {
            "an argument is owned: take `String` instead of `&str`"
        }
        _ => {
            "an argument is owned: take `String`, `Vec<..>` or the like; take what the application passes as \
             `State<..>`"
        }
    }
}

/// Returns whether the type is `&Context`, under any path.
pub(crate) fn is_context(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if is_named(&reference.elem, "Context"))
}

/// Returns whether the type is `State<..>` with one type, under any path.
pub(crate) fn is_state(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last().filter(|last| last.ident == "State") else { return false };
    match &last.arguments {
        PathArguments::AngleBracketed(inner) => {
            inner.args.len() == 1 && matches!(inner.args.first(), Some(GenericArgument::Type(_)))
        }
        _ => false,
    }
}

/// Returns whether the last segment of the type's path is `name`.
pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|segment| segment.ident == name)
}
