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
    const fn named_as(mut self, names: &'static [&'static str]) -> Self {
        self.names = names;
        self
    }

    const fn run_by(mut self, interpreters: &'static [&'static str]) -> Self {
        self.interpreters = interpreters;
        self
    }

    const fn marked(mut self, marks: &'static [&'static str]) -> Self {
        self.marks = marks;
        self
    }
}

/// All known languages. If two share an extension, the first one has it.
#[rustfmt::skip]
pub(crate) static KNOWN: &[Language] = &[
    language("rust", &["rs"], SLASHES, RUST)
        .run_by(&["rust-script"])
        .marked(&["use std::", "pub fn ", "fn main()", "impl ", "pub struct ", "#[derive("]),
    language("python", &["py", "pyi", "pyw"], HASH, PYTHON)
        .named_as(&["sconstruct"])
        .run_by(&["python"])
        .marked(&["def ", "from ", "import os", "import sys", "if __name__"]),
    language("javascript", &["js", "mjs", "cjs", "jsx"], SLASHES, JAVASCRIPT)
        .run_by(&["node", "nodejs", "bun"])
        .marked(&["const ", "module.exports", "'use strict'", "\"use strict\"", "function "]),
    language("typescript", &["ts", "mts", "cts"], SLASHES, TYPESCRIPT)
        .run_by(&["deno", "ts-node", "tsx"])
        .marked(&["export interface ", "export type ", "import type "]),
    language("tsx", &["tsx"], SLASHES, TSX),
    language("go", &["go"], SLASHES, GO)
        .marked(&["package ", "func ", "type "]),
    language("java", &["java"], SLASHES, JAVA)
        .marked(&["public class ", "import java.", "package com.", "package org."]),
    language("c", &["c", "h"], SLASHES, C)
        .marked(&["#include ", "#define ", "#ifndef ", "typedef "]),
    language("bash", &["sh", "bash", "ksh"], HASH, BASH)
        .named_as(&["bashrc", "profile", "pkgbuild"])
        .run_by(&["bash", "sh", "dash", "ksh", "ash"])
        .marked(&["set -e", "fi", "done", "esac"]),
    language("zsh", &["zsh"], HASH, None)
        .run_by(&["zsh"]),
    language("cpp", &["cc", "cpp", "cxx", "hpp", "hh", "hxx", "inl"], SLASHES, None)
        .marked(&["namespace ", "template <", "using namespace "]),
    language("csharp", &["cs"], SLASHES, None)
        .marked(&["using System"]),
    language("ruby", &["rb", "rake", "gemspec"], HASH, None)
        .named_as(&["gemfile", "rakefile"])
        .run_by(&["ruby"])
        .marked(&["require '", "end"]),
    language("php", &["php"], Comments { line: &["//", "#"], block: Some(("/*", "*/")) }, None)
        .run_by(&["php"]),
    language("swift", &["swift"], SLASHES, None)
        .run_by(&["swift"])
        .marked(&["import Foundation", "import UIKit"]),
    language("kotlin", &["kt", "kts"], SLASHES, None)
        .run_by(&["kotlin"]),
    language("scala", &["scala", "sc"], SLASHES, None)
        .run_by(&["scala"]),
    language("lua", &["lua"], Comments { line: &["--"], block: None }, None)
        .run_by(&["lua"])
        .marked(&["local "]),
    language("perl", &["pl", "pm"], HASH, None)
        .run_by(&["perl"])
        .marked(&["use strict;", "my $", "sub "]),
    language("r", &["r"], HASH, None)
        .run_by(&["Rscript"])
        .marked(&["library("]),
    language("haskell", &["hs"], Comments { line: &["--"], block: Some(("{-", "-}")) }, None)
        .run_by(&["runhaskell"])
        .marked(&["module Main", "import qualified "]),
    language("elixir", &["ex", "exs"], HASH, None)
        .run_by(&["elixir"])
        .marked(&["defmodule "]),
    language("erlang", &["erl", "hrl"], Comments { line: &["%"], block: None }, None)
        .run_by(&["escript"])
        .marked(&["-module(", "-export("]),
    language("zig", &["zig"], Comments { line: &["//"], block: None }, None)
        .marked(&["const std = @import"]),
    language("dart", &["dart"], SLASHES, None)
        .run_by(&["dart"])
        .marked(&["import 'package:"]),
    language("sql", &["sql"], Comments { line: &["--"], block: Some(("/*", "*/")) }, None)
        .marked(&["SELECT ", "CREATE TABLE ", "INSERT INTO "]),
    language("html", &["html", "htm", "xhtml"], ANGLES, None),
    language("css", &["css"], Comments { line: &[], block: Some(("/*", "*/")) }, None),
    language("scss", &["scss", "sass", "less"], SLASHES, None),
    language("vue", &["vue"], Comments { line: &["//"], block: Some(("<!--", "-->")) }, None),
    language("svelte", &["svelte"], Comments { line: &["//"], block: Some(("<!--", "-->")) }, None),
    language("json", &["json", "jsonc", "json5", "geojson"], NONE, None),
    language("yaml", &["yaml", "yml"], HASH, None)
        .marked(&["---"]),
    language("toml", &["toml"], HASH, None)
        .named_as(&["cargo.lock"])
        .marked(&["[package]", "[dependencies]"]),
    language("xml", &["xml", "svg", "xsd", "xsl", "plist"], ANGLES, None),
    language("markdown", &["md", "markdown", "mdx"], NONE, None)
        .named_as(&["readme"])
        .marked(&["# ", "## ", "```"]),
    language("restructuredtext", &["rst"], NONE, None)
        .marked(&[".. "]),
    language("ini", &["ini", "cfg", "conf", "properties"], Comments { line: &["#", ";"], block: None }, None),
    language("dockerfile", &["dockerfile"], HASH, None)
        .named_as(&["dockerfile", "containerfile"])
        .marked(&["FROM ", "RUN ", "COPY "]),
    language("makefile", &["mk", "mak"], HASH, None)
        .named_as(&["makefile", "gnumakefile"])
        .run_by(&["make"])
        .marked(&[".PHONY"]),
    language("cmake", &["cmake"], HASH, None)
        .named_as(&["cmakelists.txt"])
        .marked(&["cmake_minimum_required"]),
    language("protobuf", &["proto"], SLASHES, None)
        .marked(&["syntax = \"proto"]),
    language("powershell", &["ps1", "psm1"], Comments { line: &["#"], block: Some(("<#", "#>")) }, None)
        .run_by(&["pwsh"]),
    language("batch", &["bat", "cmd"], Comments { line: &["REM ", "rem ", "::"], block: None }, None)
        .marked(&["@echo off"]),
    language("text", &["txt", "text", "log"], NONE, None)
        .named_as(&["license", "copying", "authors"]),
];
