//! `#[toolset]` on an `impl` block: its methods with `#[tool]` as tools that share one value.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::{Attribute, Error, ImplItem, ImplItemFn, ItemImpl, LitStr, Meta, Path, Result, parse_quote};

use crate::field::replace_self;
use crate::function::{Parameter, Receiver, parameters, receiver, remove_attributes};
use crate::home::home;
use crate::implementation::{Target, ToolFunction};
use crate::options::Options;

/// Generates the tools. If that fails, generates the errors and the plain block, so that the uses of its methods are not
/// errors as well.
pub(crate) fn expand_or_keep(options: TokenStream, block: ItemImpl) -> TokenStream {
    let plain = plain(block.clone());
    let expanded = parse_options(options).and_then(|told| expand(told.as_ref(), block));
    expanded.unwrap_or_else(|error| {
        let error = error.to_compile_error();
        quote!(#error #plain)
    })
}

fn expand(told: Option<&Path>, mut block: ItemImpl) -> Result<TokenStream> {
    if let Some((path, _)) = &block.trait_ {
        let message = "`#[toolset]` is for the methods of a type: take the trait away";
        return Err(Error::new_spanned(path, message));
    }
    let home = home(told);
    let set = Set { home: &home, ty: block.self_ty.to_token_stream(), generics: block.generics.clone() };
    let mut names = Vec::new();
    let tools = each_method(&mut block, |method, options| set.tool(method, options, &mut names))?;
    if tools.is_empty() {
        let message = "the block has no tool: put `#[tool]` on the methods that the model may call";
        return Err(Error::new_spanned(&block.self_ty, message));
    }
    let (generics, _, bounds) = block.generics.split_for_impl();
    let ty = &block.self_ty;
    Ok(quote! {
        #block

        #[automatically_derived]
        impl #generics #home::ToolSet for #ty #bounds {
            #[allow(clippy::too_many_lines, clippy::items_after_statements, clippy::vec_init_then_push)]
            fn tools(
                self: &::std::sync::Arc<Self>,
            ) -> ::std::vec::Vec<::std::sync::Arc<dyn #home::derived::Tool>> {
                let mut tools: ::std::vec::Vec<::std::sync::Arc<dyn #home::derived::Tool>> = ::std::vec::Vec::new();
                #(#tools)*
                tools
            }
        }
    })
}

/// Parses the options of `#[toolset(..)]`: the path of the crate.
fn parse_options(options: TokenStream) -> Result<Option<Path>> {
    let mut path = None;
    let parser = syn::meta::parser(|meta| {
        if !meta.path.is_ident("crate") {
            return Err(
                meta.error("a tool set takes `crate = \"..\"`; options of a tool go to its `#[tool(..)]`")
            );
        }
        path = Some(meta.value()?.parse::<LitStr>()?.parse()?);
        Ok(())
    });
    parser.parse2(options)?;
    Ok(path)
}

/// Calls `read` for each method with `#[tool]`, and returns the results or the errors of all methods.
fn each_method(
    block: &mut ItemImpl,
    mut read: impl FnMut(&mut ImplItemFn, Options) -> Result<TokenStream>,
) -> Result<Vec<TokenStream>> {
    let mut tools = Vec::new();
    let mut errors: Option<Error> = None;
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        let Some(position) = method.attrs.iter().position(is_tool) else { continue };
        let attribute = method.attrs.remove(position);
        match options(&attribute).and_then(|options| read(method, options)) {
            Ok(tool) => tools.push(tool),
            Err(error) => match &mut errors {
                Some(errors) => errors.combine(error),
                None => errors = Some(error),
            },
        }
    }
    errors.map_or(Ok(tools), Err)
}

/// Returns whether the attribute is `#[tool]`, under any path.
fn is_tool(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "tool")
}

fn options(attribute: &Attribute) -> Result<Options> {
    match &attribute.meta {
        Meta::Path(_) => Ok(Options::default()),
        _ => attribute.parse_args(),
    }
}

/// Iterates over the conditions under which the method is compiled.
fn conditions(method: &ImplItemFn) -> impl Iterator<Item = &Attribute> {
    method.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"))
}

/// Returns the block without attributes that only `#[toolset]` reads.
fn plain(mut block: ItemImpl) -> ItemImpl {
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item
            && let Some(position) = method.attrs.iter().position(is_tool)
        {
            method.attrs.remove(position);
            remove_attributes(&mut method.sig);
        }
    }
    block
}

/// The type whose methods are tools.
struct Set<'a> {
    home: &'a Path,
    ty: TokenStream,
    generics: syn::Generics,
}

impl Set<'_> {
    /// Generates the statement that adds the tool of a method.
    fn tool(
        &self,
        method: &mut ImplItemFn,
        mut options: Options,
        names: &mut Vec<String>,
    ) -> Result<TokenStream> {
        let receiver = receiver(&method.sig)?;
        if let Some(name) = &options.arguments {
            let message = "a method's arguments have no place for a named struct: write the struct, derive \
                           `ToolArgs`, and take it as `#[serde(flatten)] arguments: Name`";
            return Err(Error::new_spanned(name, message));
        }
        if let Some(path) = &options.told_crate {
            let message =
                "the path of the crate is the same for all methods: write `#[toolset(crate = \"..\")]`";
            return Err(Error::new_spanned(path, message));
        }
        // The generated items are outside of the `impl` block, where `Self` is another type.
        let ty = &self.ty;
        for path in [&mut options.effects, &mut options.on_partial].into_iter().flatten() {
            *path = syn::parse2(replace_self(path.to_token_stream(), &quote!(<#ty>)))?;
        }
        let signature = syn::parse2(replace_self(method.sig.to_token_stream(), ty))?;
        let parameters = parameters(&signature, &options)?;
        if let Some(Parameter::State(state)) =
            parameters.iter().find(|one| matches!(one, Parameter::State(_)))
        {
            let message = "a method has its state in `self`: take the value from there";
            return Err(Error::new_spanned(&state.ty, message));
        }
        remove_attributes(&mut method.sig);
        // Arguments are owned and the tool awaits the method, so these lints can be wrong for its body.
        method.attrs.push(parse_quote!(#[allow(clippy::needless_pass_by_value, clippy::unused_async)]));
        let tool = ToolFunction::new(&options, self.home, (&method.attrs, &method.sig), parameters)?;
        // Of two methods with conditions, only one may be compiled.
        if names.contains(&tool.name) && conditions(method).next().is_none() {
            return Err(Error::new_spanned(
                &method.sig.ident,
                "another tool of this block has the same name",
            ));
        }
        names.push(tool.name.clone());
        Ok(self.statement(method, &tool, receiver))
    }

    fn statement(
        &self,
        method: &ImplItemFn,
        tool: &ToolFunction<'_>,
        receiver: Option<Receiver>,
    ) -> TokenStream {
        let (generics, arguments, bounds) = self.generics.split_for_impl();
        let (ty, ident) = (&self.ty, &method.sig.ident);
        let target = Target {
            generics: generics.to_token_stream(),
            ty: quote!(__Method #arguments),
            bounds: bounds.to_token_stream(),
        };
        let receiver = receiver.map(|receiver| receiver.pass(&quote!(self.set)));
        let implementation = tool.implementation(&target, &quote!(<#ty>::#ident), receiver.as_ref());
        let conditions = conditions(method);
        quote! {
            #(#conditions)*
            tools.push({
                struct __Method #generics #bounds { set: ::std::sync::Arc<#ty> }

                #implementation

                ::std::sync::Arc::new(__Method { set: ::std::sync::Arc::clone(self) })
            });
        }
    }
}
