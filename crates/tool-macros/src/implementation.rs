//! The `Tool` impl of a function or method.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Error, LitStr, Path, Result, ReturnType, Signature, Visibility};

use crate::argument::{Argument, Holder};
use crate::description::description;
use crate::field::respan;
use crate::function::{Parameter, State};
use crate::local::local;
use crate::options::{Flag, Options};

/// A function or method that is a tool.
pub(crate) struct ToolFunction<'a> {
    options: &'a Options,
    home: &'a Path,
    parameters: Vec<Parameter>,
    /// The tool's name.
    pub(crate) name: String,
    told: String,
    is_async: bool,
    /// The place of the returned type, for errors about the type.
    returned: Span,
}

impl<'a> ToolFunction<'a> {
    pub(crate) fn new(
        options: &'a Options,
        home: &'a Path,
        (attributes, signature): (&[Attribute], &Signature),
        parameters: Vec<Parameter>,
    ) -> Result<Self> {
        let told = description(attributes);
        let ident = &signature.ident;
        if told.is_empty() {
            let message = "a model needs a description of the tool: write a doc comment";
            return Err(Error::new_spanned(ident, message));
        }
        let name = options.name.as_ref().map_or_else(|| ident.unraw().to_string(), LitStr::value);
        if name.len() > 64 {
            let message = "a tool's name has at most 64 letters: give it a `name = \"..\"`";
            return Err(Error::new_spanned(ident, message));
        }
        let returned = match &signature.output {
            ReturnType::Default => Span::call_site(),
            ReturnType::Type(_, ty) => ty.span(),
        };
        let is_async = signature.asyncness.is_some();
        let function = Self { options, home, parameters, name, told, is_async, returned };
        function.check_partial()?;
        Ok(function)
    }

    fn check_partial(&self) -> Result<()> {
        match &self.options.on_partial {
            Some(path) if !self.holder().is_typed() => {
                let message = "the function has to name the type of the partial arguments: name the arguments with \
                               `arguments = Name`, and take `&PartialName`";
                Err(Error::new_spanned(path, message))
            }
            _ => Ok(()),
        }
    }

    fn holder(&self) -> Holder<'_> {
        Holder::new(self.options, self.arguments().collect())
    }

    fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(&**argument),
            Parameter::Context | Parameter::State(_) => None,
        })
    }

    pub(crate) fn states(&self) -> impl Iterator<Item = &State> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::State(state) => Some(&**state),
            Parameter::Context | Parameter::Argument(_) => None,
        })
    }

    /// Generates the struct of arguments that the author named, for the scope of the function.
    pub(crate) fn define_arguments(&self, visibility: &Visibility) -> Option<TokenStream> {
        self.holder().define_public(self.options, visibility, self.home)
    }

    /// Generates the hidden struct of arguments and the `Tool` impl for `target`. `callee` is the function, and
    /// `receiver` its first argument if it is a method.
    pub(crate) fn implementation(
        &self,
        target: &Target,
        callee: &TokenStream,
        receiver: Option<&TokenStream>,
    ) -> TokenStream {
        let Self { options, home, name, told, .. } = self;
        let holder = self.holder();
        let arguments = holder.define_private(options, name, home);
        let mut spec = holder.spec(name, told, home);
        if self.options.on_partial.is_some() {
            spec = quote!(#spec.with_eager_arguments());
        }
        let hints = options.hints(home);
        let effects = self.effects(&holder);
        let on_partial = self.on_partial(&holder);
        let (ctx, payload) = (local("ctx"), local("payload"));
        let read = holder.read(home);
        let call = self.call(callee, receiver);
        let Target { generics, ty, bounds } = target;
        quote! {
            #arguments

            #[automatically_derived]
            impl #generics #home::derived::Tool for #ty #bounds {
                fn spec(&self) -> &#home::derived::ToolSpec {
                    static SPEC: ::std::sync::LazyLock<#home::derived::ToolSpec> =
                        ::std::sync::LazyLock::new(|| #spec);
                    &SPEC
                }

                fn hints(&self) -> #home::derived::Hints {
                    #hints
                }

                fn is_in_presets(&self) -> bool {
                    false
                }

                fn effects(&self, #payload: &#home::derived::Payload) -> ::std::vec::Vec<#home::derived::Effect> {
                    #effects
                }

                #on_partial

                fn call<'a>(
                    &'a self,
                    #ctx: &'a #home::derived::Context,
                    #payload: &'a #home::derived::Payload,
                ) -> #home::derived::ToolFuture<'a> {
                    ::std::boxed::Box::pin(async move {
                        #read
                        let _ = #ctx;
                        #call
                    })
                }
            }
        }
    }

    /// Generates the effects. Without a declaration they are unknown, which policy treats as the worst case.
    fn effects(&self, holder: &Holder<'_>) -> TokenStream {
        let (home, payload) = (self.home, local("payload"));
        match &self.options.effects {
            Some(function) => {
                let ty = holder.ty();
                quote_spanned!(function.span()=> #home::derived::effects::<#ty, _>(&#function, #payload))
            }
            None if self.options.has(Flag::Internal) => {
                quote!(let _ = #payload; ::std::vec![#home::derived::Effect::Internal])
            }
            None => quote!(let _ = #payload; ::std::vec![#home::derived::Effect::Unknown]),
        }
    }

    fn on_partial(&self, holder: &Holder<'_>) -> Option<TokenStream> {
        let (home, ty) = (self.home, holder.ty());
        let (show, arguments) = (local("show"), local("arguments"));
        let function = self.options.on_partial.as_ref()?;
        Some(quote! {
            fn on_partial(
                &self,
                #show: &mut #home::derived::ProgressSink<'_>,
                #arguments: &mut #home::derived::GrowingArguments,
            ) {
                #function(#show, #home::ReadPartial::typed::<#ty>(#arguments));
            }
        })
    }

    /// Generates the call and the conversion of its result.
    fn call(&self, callee: &TokenStream, receiver: Option<&TokenStream>) -> TokenStream {
        let home = self.home;
        let derived = quote!(#home::derived);
        let given = self.parameters.iter().map(|parameter| match parameter {
            Parameter::Argument(argument) => argument.local.to_token_stream(),
            Parameter::Context => local("ctx").to_token_stream(),
            Parameter::State(state) => {
                let field = &state.field;
                quote!(::core::clone::Clone::clone(&self.#field))
            }
        });
        let given = receiver.cloned().into_iter().chain(given);
        let wait = self.is_async.then(|| quote!(.await));
        // All tokens have the place of the returned type, so that an error about the type points to it.
        let placed = respan(derived.clone(), self.returned);
        let success = quote_spanned!(self.returned=> #placed::Success(value).into_output());
        let failure = quote_spanned!(self.returned=> #placed::Failure(error).into_error());
        quote! {
            #[allow(unused_imports)]
            use #derived::{
                DescribeError as _, DescribeLocalError as _, PlainValue as _, RejectError as _, RejectOutput as _,
                SerializeOutput as _,
            };
            match #derived::ReturnValue(#callee(#(#given),*) #wait).into_result() {
                ::core::result::Result::Ok(value) => #success,
                ::core::result::Result::Err(error) => ::core::result::Result::Err(#failure),
            }
        }
    }
}

/// The type that implements `Tool`.
pub(crate) struct Target {
    /// The generic parameters of the impl, in angle brackets.
    pub(crate) generics: TokenStream,
    pub(crate) ty: TokenStream,
    /// The `where` clause.
    pub(crate) bounds: TokenStream,
}
