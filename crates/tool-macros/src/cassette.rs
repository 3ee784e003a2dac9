//! `#[cassette]` on an asynchronous test.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Attribute, Error, Expr, ItemFn, Result};

use crate::home::cassette_home;

/// Generates the test. If that fails, generates the error and the plain function, so that the function is not reported as
/// unused as well.
pub(crate) fn expand_or_keep(path: TokenStream, function: &ItemFn) -> TokenStream {
    expand(path, function).unwrap_or_else(|error| {
        let error = error.to_compile_error();
        quote!(#error #[allow(dead_code)] #function)
    })
}

fn expand(path: TokenStream, function: &ItemFn) -> Result<TokenStream> {
    let ItemFn { attrs, vis, sig, block, .. } = function;
    if sig.asyncness.is_none() {
        return Err(Error::new_spanned(sig.fn_token, "a test on a cassette is an `async fn`"));
    }
    let (1, Some(argument)) = (sig.inputs.len(), sig.inputs.first()) else {
        let message = format!("the test takes one argument: `async fn {}(cassette: Cassette)`", sig.ident);
        return Err(Error::new_spanned(&sig.ident, message));
    };
    let home = cassette_home();
    let (ident, output) = (&sig.ident, &sig.output);
    let name = ident.unraw().to_string();
    let path = if path.is_empty() {
        quote!(#home::test_run::default_path(module_path!(), #name))
    } else {
        let path: Expr = syn::parse2(path)?;
        quote!(#path)
    };
    let runtime = (!attrs.iter().any(is_test)).then(|| quote!(#[::tokio::test]));
    Ok(quote! {
        #runtime
        #(#attrs)*
        #vis async fn #ident() #output {
            async fn run(#argument) #output #block
            #home::test_run::run_test(env!("CARGO_MANIFEST_DIR"), #path, run).await
        }
    })
}

/// Returns true for an attribute such as `tokio::test`, which makes a function a test.
fn is_test(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "test")
}
