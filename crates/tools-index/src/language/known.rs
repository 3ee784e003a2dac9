//! Table of known languages, one row each.

use super::{Comments, Language};
use crate::grammar::{BASH, C, GO, Grammar, JAVA, JAVASCRIPT, PYTHON, RUST, TSX, TYPESCRIPT};

const HASH: Comments = Comments { line: &["#"], block: None };
const SLASHES: Comments = Comments { line: &["//"], block: Some(("/*", "*/")) };
const ANGLES: Comments = Comments { line: &[], block: Some(("<!--", "-->")) };
const NONE: Comments = Comments { line: &[], block: None };

const fn language(
    name: &'static str,
    extensions: &'static [&'static str],
    comments: Comments,
    grammar: Option<&'static Grammar>,
) -> Language {
    Language { name, extensions, names: &[], interpreters: &[], marks: &[], comments, grammar }
}

impl Language {
    const fn with_names(mut self, names: &'static [&'static str]) -> Self {
        self.names = names;
        self
    }

    const fn run_by(mut self, interpreters: &'static [&'static str]) -> Self {
        self.interpreters = interpreters;
        self
    }

    const fn with_marks(mut self, marks: &'static [&'static str]) -> Self {
        self.marks = marks;
        self
    }
}

/// All known languages. If two share an extension, the first one has it.
#[rustfmt::skip]
pub(crate) static KNOWN: &[Language] = &[
    language("rust", &["rs"], SLASHES, RUST)
        .run_by(&["rust-script"])
        .with_marks(&["use std::", "pub fn ", "fn main()", "impl ", "pub struct ", "#[derive("]),
    language("python", &["py", "pyi", "pyw"], HASH, PYTHON)
        .with_names(&["sconstruct"])
        .run_by(&["python"])
        .with_marks(&["def ", "from ", "import os", "import sys", "if __name__"]),
    language("javascript", &["js", "mjs", "cjs", "jsx"], SLASHES, JAVASCRIPT)
        .run_by(&["node", "nodejs", "bun"])
        .with_marks(&["const ", "module.exports", "'use strict'", "\"use strict\"", "function "]),
    language("typescript", &["ts", "mts", "cts"], SLASHES, TYPESCRIPT)
        .run_by(&["deno", "ts-node", "tsx"])
        .with_marks(&["export interface ", "export type ", "import type "]),
    language("tsx", &["tsx"], SLASHES, TSX),
    language("go", &["go"], SLASHES, GO)
        .with_marks(&["package ", "func ", "type "]),
    language("java", &["java"], SLASHES, JAVA)
        .with_marks(&["public class ", "import java.", "package com.", "package org."]),
    language("c", &["c", "h"], SLASHES, C)
        .with_marks(&["#include ", "#define ", "#ifndef ", "typedef "]),
    language("bash", &["sh", "bash", "ksh"], HASH, BASH)
        .with_names(&["bashrc", "profile", "pkgbuild"])
        .run_by(&["bash", "sh", "dash", "ksh", "ash"])
        .with_marks(&["set -e", "fi", "done", "esac"]),
    language("zsh", &["zsh"], HASH, None)
        .run_by(&["zsh"]),
    language("cpp", &["cc", "cpp", "cxx", "hpp", "hh", "hxx", "inl"], SLASHES, None)
        .with_marks(&["namespace ", "template <", "using namespace "]),
    language("csharp", &["cs"], SLASHES, None)
        .with_marks(&["using System"]),
    language("ruby", &["rb", "rake", "gemspec"], HASH, None)
        .with_names(&["gemfile", "rakefile"])
        .run_by(&["ruby"])
        .with_marks(&["require '", "end"]),
    language("php", &["php"], Comments { line: &["//", "#"], block: Some(("/*", "*/")) }, None)
        .run_by(&["php"]),
    language("swift", &["swift"], SLASHES, None)
        .run_by(&["swift"])
        .with_marks(&["import Foundation", "import UIKit"]),
    language("kotlin", &["kt", "kts"], SLASHES, None)
        .run_by(&["kotlin"]),
    language("scala", &["scala", "sc"], SLASHES, None)
        .run_by(&["scala"]),
    language("lua", &["lua"], Comments { line: &["--"], block: None }, None)
        .run_by(&["lua"])
        .with_marks(&["local "]),
    language("perl", &["pl", "pm"], HASH, None)
        .run_by(&["perl"])
        .with_marks(&["use strict;", "my $", "sub "]),
    language("r", &["r"], HASH, None)
        .run_by(&["Rscript"])
        .with_marks(&["library("]),
    language("haskell", &["hs"], Comments { line: &["--"], block: Some(("{-", "-}")) }, None)
        .run_by(&["runhaskell"])
        .with_marks(&["module Main", "import qualified "]),
    language("elixir", &["ex", "exs"], HASH, None)
        .run_by(&["elixir"])
        .with_marks(&["defmodule "]),
    language("erlang", &["erl", "hrl"], Comments { line: &["%"], block: None }, None)
        .run_by(&["escript"])
        .with_marks(&["-module(", "-export("]),
    language("zig", &["zig"], Comments { line: &["//"], block: None }, None)
        .with_marks(&["const std = @import"]),
    language("dart", &["dart"], SLASHES, None)
        .run_by(&["dart"])
        .with_marks(&["import 'package:"]),
    language("sql", &["sql"], Comments { line: &["--"], block: Some(("/*", "*/")) }, None)
        .with_marks(&["SELECT ", "CREATE TABLE ", "INSERT INTO "]),
    language("html", &["html", "htm", "xhtml"], ANGLES, None),
    language("css", &["css"], Comments { line: &[], block: Some(("/*", "*/")) }, None),
    language("scss", &["scss", "sass", "less"], SLASHES, None),
    language("vue", &["vue"], Comments { line: &["//"], block: Some(("<!--", "-->")) }, None),
    language("svelte", &["svelte"], Comments { line: &["//"], block: Some(("<!--", "-->")) }, None),
    language("json", &["json", "jsonc", "json5", "geojson"], NONE, None),
    language("yaml", &["yaml", "yml"], HASH, None)
        .with_marks(&["---"]),
    language("toml", &["toml"], HASH, None)
        .with_names(&["cargo.lock"])
        .with_marks(&["[package]", "[dependencies]"]),
    language("xml", &["xml", "svg", "xsd", "xsl", "plist"], ANGLES, None),
    language("markdown", &["md", "markdown", "mdx"], NONE, None)
        .with_names(&["readme"])
        .with_marks(&["# ", "## ", "```"]),
    language("restructuredtext", &["rst"], NONE, None)
        .with_marks(&[".. "]),
    language("ini", &["ini", "cfg", "conf", "properties"], Comments { line: &["#", ";"], block: None }, None),
    language("dockerfile", &["dockerfile"], HASH, None)
        .with_names(&["dockerfile", "containerfile"])
        .with_marks(&["FROM ", "RUN ", "COPY "]),
    language("makefile", &["mk", "mak"], HASH, None)
        .with_names(&["makefile", "gnumakefile"])
        .run_by(&["make"])
        .with_marks(&[".PHONY"]),
    language("cmake", &["cmake"], HASH, None)
        .with_names(&["cmakelists.txt"])
        .with_marks(&["cmake_minimum_required"]),
    language("protobuf", &["proto"], SLASHES, None)
        .with_marks(&["syntax = \"proto"]),
    language("powershell", &["ps1", "psm1"], Comments { line: &["#"], block: Some(("<#", "#>")) }, None)
        .run_by(&["pwsh"]),
    language("batch", &["bat", "cmd"], Comments { line: &["REM ", "rem ", "::"], block: None }, None)
        .with_marks(&["@echo off"]),
    language("text", &["txt", "text", "log"], NONE, None)
        .with_names(&["license", "copying", "authors"]),
];
