//! Highlighting.

use windlass_screen::{Background, ColorDepth, Language, RenderOptions, Role, Theme, highlight};

use crate::terminal::{assert_fits, options, text};

fn colored() -> RenderOptions {
    RenderOptions::new(80, Theme::new(ColorDepth::Ansi16, Background::Dark))
}

/// Asserts that a word of a code has a role.
fn assert_role(code: &str, language: Language, word: &str, role: Role) {
    let lines = highlight(code, Some(language), &colored());
    let span = lines.iter().flat_map(|line| &line.spans).find(|span| span.content.contains(word));
    let style = span.map(|span| span.style);
    assert_eq!(style, Some(colored().theme.style(role)), "{word} in {code}");
}

#[cfg(feature = "highlight")]
#[test]
fn each_language_is_highlighted() {
    let samples = [
        (Language::Bash, "if true; then echo 'hi'; fi # note", "if", "'hi'"),
        (Language::C, "int main(void) { return puts(\"hi\"); }", "return", "\"hi\""),
        (Language::Go, "func main() { println(\"hi\") }", "func", "\"hi\""),
        (Language::Java, "class A { String s = \"hi\"; }", "class", "\"hi\""),
        (Language::JavaScript, "const a = () => \"hi\";", "const", "\"hi\""),
        (Language::Python, "def f():\n    return \"hi\"", "def", "\"hi\""),
        (Language::Rust, "fn f() -> &'static str { \"hi\" }", "fn", "\"hi\""),
        (Language::TypeScript, "const a: string = \"hi\";", "const", "\"hi\""),
        (Language::Tsx, "const a = <b>{\"hi\"}</b>;", "const", "\"hi\""),
    ];
    for (language, code, keyword, string) in samples {
        assert_role(code, language, keyword, Role::Keyword);
        assert_role(code, language, string, Role::String);
    }
}

#[cfg(feature = "highlight")]
#[test]
fn functions_types_and_comments_have_their_roles() {
    let code = "// note\nfn render(a: Line) -> u8 { go(12) }";
    for (word, role) in [
        ("// note", Role::Comment),
        ("render", Role::Function),
        ("Line", Role::Type),
        ("u8", Role::Type),
        ("go", Role::Function),
        ("12", Role::Number),
    ] {
        assert_role(code, Language::Rust, word, role);
    }
    assert_role("func add() {}\nfunc main() { add() }", Language::Go, "main", Role::Function);
}

#[test]
fn the_text_is_the_same_with_and_without_a_language() {
    let code = "fn f() {\n\tlet a = \"\u{1b}[0m é 日本\";\n\n}\n";
    let plain = text(&highlight(code, None, &options(40)));
    assert_eq!(text(&highlight(code, Some(Language::Rust), &options(40))), plain);
    assert!(plain.contains(r"\u{1b}[0m"), "{plain}");
}

#[test]
fn large_code_and_long_lines_are_not_highlighted() {
    for code in ["let a = 1;\n".repeat(40_000), format!("let a = \"{}\";", "b".repeat(5_000))] {
        let lines = highlight(&code, Some(Language::Rust), &colored());
        let style = colored().theme.style(Role::Code);
        assert!(lines.iter().flat_map(|line| &line.spans).all(|span| span.style == style));
        assert_fits(&lines, colored());
    }
}

#[test]
fn languages_are_found_by_name_and_by_path() {
    assert_eq!(Language::from_path("a/b.test.ts"), Some(Language::TypeScript));
    assert_eq!(Language::from_path("a.rs/Makefile"), None);
    assert_eq!(Language::from_path(".py"), Some(Language::Python));
    assert_eq!(Language::from_name("JSX"), Some(Language::JavaScript));
}
