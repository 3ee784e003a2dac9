//! The re-exports and the public signatures of a source file.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Attribute, Fields, ImplItem, Item, TraitItem, UseTree, Visibility};

/// A type or trait of another crate in a public signature.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// The path from the crate's name.
    pub(super) path: Vec<String>,
    pub(super) file: String,
}

/// Appends the re-exports and the references of a file. A reference appears once in a file.
pub(super) fn collect(
    path: &str,
    file: &syn::File,
    exports: &mut Vec<Vec<String>>,
    references: &mut Vec<Reference>,
) {
    let mut paths = Vec::new();
    collect_items(&file.items, exports, &mut paths);
    let mut known = BTreeSet::new();
    for found in paths {
        if known.insert(found.clone()) {
            references.push(Reference { path: found, file: path.to_owned() });
        }
    }
}

fn collect_items(items: &[Item], exports: &mut Vec<Vec<String>>, paths: &mut Vec<Vec<String>>) {
    let mut imports = BTreeMap::new();
    for item in items {
        let Item::Use(import) = item else { continue };
        let is_export = is_public(&import.vis);
        flatten(&import.tree, &mut Vec::new(), &mut |name, path| {
            if is_export {
                exports.push(path.clone());
            }
            imports.insert(name, path);
        });
    }
    let public_types = items.iter().filter_map(name_if_public).collect();
    let mut signatures = Signatures { public_types, imports, paths };
    for item in items.iter().filter(|item| !is_left_out(attributes_of(item))) {
        if let Item::Mod(module) = item {
            if let Some((_, items)) = &module.content {
                collect_items(items, exports, signatures.paths);
            }
        } else {
            signatures.visit_public(item);
        }
    }
}

/// Calls `each` with the name and the path of each import of a tree.
fn flatten(tree: &UseTree, prefix: &mut Vec<String>, each: &mut impl FnMut(String, Vec<String>)) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            flatten(&path.tree, prefix, each);
            prefix.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, prefix, each)),
        UseTree::Name(name) if name.ident == "self" => {
            each(prefix.last().cloned().unwrap_or_default(), prefix.clone());
        }
        UseTree::Name(name) => each(name.ident.to_string(), join_path(prefix, &name.ident)),
        UseTree::Rename(name) if name.ident == "self" => each(name.rename.to_string(), prefix.clone()),
        UseTree::Rename(name) => each(name.rename.to_string(), join_path(prefix, &name.ident)),
        UseTree::Glob(_) => each("*".to_owned(), [prefix.as_slice(), &["*".to_owned()]].concat()),
    }
}

fn join_path(prefix: &[String], name: &syn::Ident) -> Vec<String> {
    prefix.iter().cloned().chain([name.to_string()]).collect()
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Returns `true` for items that the documentation does not show and for tests.
fn is_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let tokens = list.tokens.to_string();
        list.path.is_ident("doc") && tokens == "hidden" || list.path.is_ident("cfg") && tokens == "test"
    })
}

fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the name of a public type.
fn name_if_public(item: &Item) -> Option<String> {
    let (visibility, name) = match item {
        Item::Struct(item) => (&item.vis, &item.ident),
        Item::Enum(item) => (&item.vis, &item.ident),
        _ => return None,
    };
    is_public(visibility).then(|| name.to_string())
}

/// Collects the paths of other crates in the visited syntax.
struct Signatures<'a> {
    /// The public types of the same module: what an implementation of a trait chooses is public for these only.
    public_types: BTreeSet<String>,
    imports: BTreeMap<String, Vec<String>>,
    paths: &'a mut Vec<Vec<String>>,
}

impl Signatures<'_> {
    fn visit_public(&mut self, item: &Item) {
        match item {
            Item::Const(item) if is_public(&item.vis) => self.visit_type(&item.ty),
            Item::Static(item) if is_public(&item.vis) => self.visit_type(&item.ty),
            Item::Type(item) if is_public(&item.vis) => self.visit_type(&item.ty),
            Item::Fn(item) if is_public(&item.vis) => self.visit_signature(&item.sig),
            Item::Struct(item) if is_public(&item.vis) => {
                self.visit_generics(&item.generics);
                self.visit_public_fields(&item.fields);
            }
            Item::Enum(item) if is_public(&item.vis) => {
                self.visit_generics(&item.generics);
                item.variants.iter().for_each(|variant| self.visit_fields(&variant.fields));
            }
            Item::Trait(item) if is_public(&item.vis) => {
                self.visit_generics(&item.generics);
                item.supertraits.iter().for_each(|bound| self.visit_type_param_bound(bound));
                item.items.iter().for_each(|item| self.visit_member(item));
            }
            Item::Impl(item) => self.visit_implementation(item),
            _ => {}
        }
    }

    fn visit_public_fields(&mut self, fields: &Fields) {
        for field in fields.iter().filter(|field| is_public(&field.vis) && !is_left_out(&field.attrs)) {
            self.visit_type(&field.ty);
        }
    }

    fn visit_member(&mut self, item: &TraitItem) {
        match item {
            TraitItem::Fn(function) if !is_left_out(&function.attrs) => self.visit_signature(&function.sig),
            TraitItem::Type(item) => item.bounds.iter().for_each(|bound| self.visit_type_param_bound(bound)),
            TraitItem::Const(item) => self.visit_type(&item.ty),
            _ => {}
        }
    }

    /// Visits the public functions of a type, or the types that an implementation of a trait chooses.
    fn visit_implementation(&mut self, block: &syn::ItemImpl) {
        let is_of_public_type = matches!(&*block.self_ty, syn::Type::Path(path)
            if path.path.segments.last().is_some_and(|last| self.public_types.contains(&last.ident.to_string())));
        for item in &block.items {
            match item {
                ImplItem::Fn(function) if is_public(&function.vis) && !is_left_out(&function.attrs) => {
                    self.visit_generics(&block.generics);
                    self.visit_signature(&function.sig);
                }
                ImplItem::Const(item) if is_public(&item.vis) => self.visit_type(&item.ty),
                ImplItem::Type(item) if is_of_public_type => self.visit_type(&item.ty),
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Signatures<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let import = names.first().and_then(|first| self.imports.get(first)).cloned();
        match import {
            Some(import) if path.leading_colon.is_none() => {
                names.splice(..1, import);
            }
            _ => {}
        }
        // A path of one segment is local, of the prelude, or a parameter. Names of crates are in lower case.
        let is_foreign = names.first().is_some_and(|first| {
            !matches!(first.as_str(), "crate" | "self" | "super" | "Self")
                && first.starts_with(|letter: char| letter.is_ascii_lowercase())
        });
        if names.len() > 1 && is_foreign {
            self.paths.push(names);
        }
        visit::visit_path(self, path);
    }
}
