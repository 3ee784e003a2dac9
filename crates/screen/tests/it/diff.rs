//! Diffs.

use expect_test::expect;
use proptest::prelude::*;
use ratatui_core::style::Modifier;
use windlass_screen::{Background, ColorDepth, DiffLimits, RenderOptions, Role, Theme, render_diff};

use crate::terminal::{assert_fits, options, text};

const DIFF: &str = "diff --git a/src/lib.rs b/src/lib.rs\nindex 1..2 100644\n--- a/src/lib.rs\n+++ b/src/lib.rs\n\
@@ -8,4 +8,5 @@ fn before()\n fn sum(values: &[u64]) -> u64 {\n-    values.iter().sum()\n+    values.iter().copied()\
.fold(0, u64::saturating_add)\n+    // never overflows\n }\n \n@@ -120,2 +121,2 @@\n---- old\n+++ new\n end\n\
\\ No newline at end of file\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello\n";

#[test]
fn a_diff_at_80_columns() {
    expect![[r#"
        src/lib.rs (+3 -2)
          8   fn sum(values: &[u64]) -> u64 {
          9 -     values.iter().sum()
          9 +     values.iter().copied().fold(0, u64::saturating_add)
         10 +     // never overflows
         11   }
         12
        ⋮
        120 - --- old
        121 + ++ new
        122   end
        \ No newline at end of file
        new.txt (+1 -0)
          1 + hello
    "#]]
    .assert_eq(&text(&render_diff(DIFF, DiffLimits::default(), &options(80))));
}

#[test]
fn a_diff_at_40_columns() {
    expect![[r#"
        src/lib.rs (+3 -2)
          8   fn sum(values: &[u64]) -> u64 {
          9 -     values.iter().sum()
          9 +     values.iter().copied().fold(0,
               u64::saturating_add)
         10 +     // never overflows
         11   }
         12
        ⋮
        120 - --- old
        121 + ++ new
        122   end
        \ No newline at end of file
        new.txt (+1 -0)
          1 + hello
    "#]]
    .assert_eq(&text(&render_diff(DIFF, DiffLimits::default(), &options(40))));
}

#[test]
fn hidden_lines_are_counted() {
    let diff = format!("--- /dev/null\n+++ b/a\n@@ -0,0 +1,250 @@\n{}", "+line\n".repeat(250));
    let lines = render_diff(&diff, DiffLimits::default().with_lines(11), &options(80));
    let shown = text(&lines);
    assert!(
        shown.starts_with("a (+250 -0)\n 1 + line\n") && shown.ends_with("10 + line\n… 240 more lines\n"),
        "{shown}"
    );
}

#[test]
fn changed_words_are_emphasized() {
    let options = RenderOptions::new(80, Theme::new(ColorDepth::Ansi16, Background::Dark));
    let lines =
        render_diff("@@ -1 +1 @@\n-let a = one(b);\n+let a = two(b);\n", DiffLimits::default(), &options);
    for (line, word, role) in [(&lines[0], "one", Role::RemovedWord), (&lines[1], "two", Role::AddedWord)] {
        let strong: Vec<_> =
            line.spans.iter().filter(|span| span.style.add_modifier.contains(Modifier::BOLD)).collect();
        assert_eq!(strong.len(), 1, "{line:?}");
        assert_eq!((&*strong[0].content, strong[0].style), (word, options.theme.style(role)));
    }
}

#[test]
fn different_lines_are_not_emphasized() {
    let options = RenderOptions::new(80, Theme::new(ColorDepth::Ansi16, Background::Dark));
    let lines = render_diff("@@ -1 +1 @@\n-use std::io;\n+/// A text.\n", DiffLimits::default(), &options);
    assert!(lines.iter().flat_map(|line| &line.spans).all(|span| span.style.add_modifier.is_empty()));
}

#[test]
fn remarks_stay_and_a_cut_diff_is_readable() {
    let diff = "rename from a\nrename to b\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n same\n[4 of 90 lines of the diff shown]\n";
    let shown = text(&render_diff(diff, DiffLimits::default(), &options(80)));
    assert_eq!(shown, "rename from a\nrename to b\nx (+0 -0)\n1   same\n[4 of 90 lines of the diff shown]\n");
}

#[test]
fn remarks_of_git_follow_the_name_of_their_file() {
    let diff = "diff --git a/new.rs b/new.rs\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/new.rs\n\
                @@ -0,0 +1 @@\n+one\ndiff --git a/old.rs b/moved to.rs\nsimilarity index 100%\nrename from old.rs\n\
                rename to moved to.rs\ndiff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n";
    let shown = text(&render_diff(diff, DiffLimits::default(), &options(80)));
    assert_eq!(
        shown,
        "new.rs (+1 -0)\nnew file mode 100644\n1 + one\nmoved to.rs (+0 -0)\nsimilarity index 100%\nrename from old.rs\n\
         rename to moved to.rs\np.png (+0 -0)\nBinary files a/p.png and b/p.png differ\n"
    );
}

proptest! {
    #[test]
    fn any_text_fits(parts in prop::collection::vec(prop::sample::select(vec![
        "--- a\n", "+++ b\n", "diff --git a/a b/a\n", "new file mode 100644\n", "@@ -1,3 +1,3 @@\n", "@@ -1 +1 @@\n", "-a é b\n", "+a 日本 c\n", " x\n", "\n", "\\ No\n",
        "\u{1b}[0m\n", "@@ -99999999999999999999 +1 @@\n", "+\t\u{202e}\n", "é\n",
    ]), 0..40), columns in 20_usize..60, lines in 0_usize..20) {
        let rendered = render_diff(&parts.concat(), DiffLimits::default().with_lines(lines), &options(columns));
        assert_fits(&rendered, options(columns));
    }
}
