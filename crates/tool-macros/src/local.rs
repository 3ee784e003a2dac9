//! Local variables of the generated code.

use proc_macro2::Span;
use syn::Ident;

/// Returns a name that does not shadow a function of the author with the same name.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
