//! Tests of the lines that count as declarations.

use super::rough;
use crate::language::Language;

#[track_caller]
fn check(language: &str, source: &str, expected: &[(usize, &str)]) {
    let outline = rough(Language::find_by_name(language).unwrap(), source);
    let found: Vec<_> = outline
        .symbols
        .iter()
        .map(|symbol| (symbol.start, format!("{} {}", symbol.kind.word(), symbol.full_name())))
        .collect();
    let found: Vec<_> = found.iter().map(|(start, name)| (*start, name.as_str())).collect();
    assert_eq!(found, expected, "{source}");
}

#[test]
fn declarations_are_found_by_leading_keywords() {
    check(
        "rust",
        "/// Adds.\n#[inline]\npub(crate) const unsafe fn add<T>(a: T) {\n",
        &[(1, "function add")],
    );
    check(
        "rust",
        "impl<T: Into<U>> From<T> for Wide<T> {\n    fn from(t: T) -> Self {\n    }\n}\nfn free() {}\n",
        &[(1, "impl Wide"), (2, "method Wide::from"), (5, "function free")],
    );
    check(
        "rust",
        "impl<T> Plain<T> {\npub static mut COUNT: u8 = 1;\n",
        &[(1, "impl Plain"), (2, "constant COUNT")],
    );
    check(
        "rust",
        "pub extern \"C\" fn go() {}\nmacro_rules! all {\n",
        &[(1, "function go"), (2, "macro all")],
    );
    check(
        "python",
        "class A(B):\n    @property\n    async def get(self):\n        x = 1\n",
        &[(1, "class A"), (2, "method A::get")],
    );
    check("typescript", "export default class Tree extends Node {\n", &[(1, "class Tree")]);
    check(
        "javascript",
        "const one = 1\nfunction two() {\n  const three = 3\n",
        &[(1, "constant one"), (2, "function two")],
    );
    check("go", "func (p *Parser) Next() {\ntype Kind int\n", &[(1, "function Next"), (2, "type Kind")]);
    check(
        "java",
        "public final class A {\n    private static int get(int a) {\n",
        &[(1, "class A"), (2, "method A::get")],
    );
    check(
        "c",
        "#define MOST 3\nstatic int next(void)\n{\n    go(1);\n}\nint next(void);\n",
        &[(1, "macro MOST"), (2, "function next")],
    );
    check("c", "struct node *first(int a) {\nstruct node {\n", &[(1, "function first"), (2, "struct node")]);
    check("bash", "run() {\n  go\n}\n", &[(1, "function run")]);
}

#[test]
fn prose_and_broken_text_declare_nothing() {
    check("rust", "    class of things\n// fn no() {}\nlet fn_name = 1;\n", &[]);
    check("rust", "impl\nfn\npub(\nextern \"\nconst\n(\nimpl<<<<\nfn 1()\n", &[]);
    check("c", "é(\n(\n=(\n", &[(1, "function é")]);
}
