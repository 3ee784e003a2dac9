//! The options of `#[tool(..)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{ExprPath, Ident, LitStr, Path, Result};

use crate::case::{Case, pascal};

/// The options that the author of a function sets.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) name: Option<LitStr>,
    pub(crate) told_crate: Option<Path>,
    pub(crate) effects: Option<ExprPath>,
    /// The name of the generated struct of arguments.
    pub(crate) arguments: Option<Ident>,
    /// The function that shows partial arguments.
    pub(crate) on_partial: Option<ExprPath>,
    /// The case of the arguments' names.
    pub(crate) case: Case,
    rename_all: Option<LitStr>,
    risk: Option<LitStr>,
    flags: Vec<Flag>,
}

/// An option without a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flag {
    ReadOnly,
    Idempotent,
    Parallel,
    OpenWorld,
    Polls,
    Internal,
}

const RISKS: [&str; 4] = ["low", "medium", "high", "critical"];

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut options = Self::default();
        let parser = syn::meta::parser(|meta| {
            let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            match name.as_str() {
                "read_only" => options.flags.push(Flag::ReadOnly),
                "idempotent" => options.flags.push(Flag::Idempotent),
                "parallel" => options.flags.push(Flag::Parallel),
                "open_world" => options.flags.push(Flag::OpenWorld),
                "polls" => options.flags.push(Flag::Polls),
                "internal" => options.flags.push(Flag::Internal),
                "name" => options.name = Some(checked_name(meta.value()?.parse()?)?),
                "risk" => options.risk = Some(checked_risk(meta.value()?.parse()?)?),
                "effects" => options.effects = Some(meta.value()?.parse()?),
                "arguments" => options.arguments = Some(meta.value()?.parse()?),
                "on_partial" => options.on_partial = Some(meta.value()?.parse()?),
                "rename_all" => {
                    let case: LitStr = meta.value()?.parse()?;
                    options.case = Case::parse(&case)?;
                    options.rename_all = Some(case);
                }
                "crate" => options.told_crate = Some(meta.value()?.parse::<LitStr>()?.parse()?),
                _ => {
                    return Err(meta.error(
                        "expected `read_only`, `idempotent`, `parallel`, `open_world`, `polls`, `internal`, \
                         `risk = \"..\"`, `name = \"..\"`, `rename_all = \"..\"`, `arguments = Name`, \
                         `effects = function`, `on_partial = function` or `crate = \"..\"`",
                    ));
                }
            }
            Ok(())
        });
        parser_of(parser, input)?;
        if let (true, Some(effects)) = (options.has(Flag::Internal), &options.effects) {
            let message = "`internal` says that there are no effects: leave one of the two out";
            return Err(syn::Error::new_spanned(effects, message));
        }
        Ok(options)
    }
}

fn parser_of(parser: impl syn::parse::Parser<Output = ()>, input: ParseStream<'_>) -> Result<()> {
    parser.parse2(input.parse::<TokenStream>()?)
}

fn checked_name(name: LitStr) -> Result<LitStr> {
    let text = name.value();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if (1..=64).contains(&text.len()) && text.chars().all(is_plain) {
        return Ok(name);
    }
    Err(syn::Error::new(name.span(), "a tool's name has 1 to 64 of `A-Z a-z 0-9 _ -`"))
}

fn checked_risk(risk: LitStr) -> Result<LitStr> {
    if RISKS.contains(&risk.value().as_str()) {
        return Ok(risk);
    }
    Err(syn::Error::new(risk.span(), "the risks are \"low\", \"medium\", \"high\" and \"critical\""))
}

impl Options {
    pub(crate) fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// Generates serde's attribute for the names of a struct of arguments.
    pub(crate) fn rename_all(&self) -> Option<TokenStream> {
        self.rename_all.as_ref().map(|case| quote!(#[serde(rename_all = #case)]))
    }

    /// Returns an expression of the tool's hints. A read-only tool is idempotent, parallel and of low risk.
    pub(crate) fn hints(&self, home: &Path) -> TokenStream {
        let derived = quote!(#home::derived);
        let base = if self.has(Flag::ReadOnly) { quote!(read_only()) } else { quote!(default()) };
        let mut hints = quote!(let mut hints = #derived::Hints::#base;);
        if self.has(Flag::Idempotent) {
            hints.extend(quote!(hints.idempotent = true;));
        }
        if self.has(Flag::Parallel) {
            hints.extend(quote!(hints.concurrency = #derived::Concurrency::Parallel;));
        }
        if self.has(Flag::OpenWorld) {
            hints.extend(quote!(hints.open_world = true;));
        }
        if self.has(Flag::Polls) {
            hints.extend(quote!(hints.polls = true;));
        }
        if let Some(risk) = &self.risk {
            let risk = format_ident!("{}", pascal(&risk.value()));
            hints.extend(quote!(hints.risk = #derived::Risk::#risk;));
        }
        quote!(#[allow(unused_mut)] #hints hints)
    }
}
