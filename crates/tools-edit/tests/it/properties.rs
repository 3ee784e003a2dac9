//! Patches from the content of random files: applied they give the intended file, or are refused.

use proptest::prelude::*;
use similar::{ChangeTag, TextDiff};
use windlass_protocol::Effect;

use crate::scene::Scene;

fn text() -> impl Strategy<Value = Vec<String>> {
    // Few different lines, so that many places look alike.
    prop::collection::vec("[ab]? ?[xy\u{fc}]\n", 0..14)
}

/// Returns a patch that changes one text to another, with `context` lines around each change.
fn patch(before: &str, after: &str, context: usize) -> String {
    let mut patch = String::from("*** Begin Patch\n*** Update File: a.txt\n");
    let diff = TextDiff::from_lines(before, after);
    for hunk in diff.unified_diff().context_radius(context).iter_hunks() {
        patch.push_str("@@\n");
        for change in hunk.iter_changes() {
            patch.push(match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            });
            patch.push_str(change.value());
        }
    }
    patch + "*** End Patch\n"
}

fn piece() -> impl Strategy<Value = String> {
    let words = [
        "*** Begin Patch",
        "*** End Patch",
        "*** Add File: b",
        "*** Add File: ",
        "*** Delete File: a.txt",
        "*** Update File: a.txt",
        "*** Move to: c/d",
        "*** End of File",
        "@@",
        "@@ x",
        "@@ -1,2 +1,2 @@",
        "+x",
        "-x",
        " x",
        "",
        "```",
        "<<EOF",
        "EOF",
        "\\ No newline",
        "--- a/a.txt",
        "+++ b/a.txt",
        "\u{fc}",
    ];
    (prop::sample::select(words.to_vec()), prop::sample::select(vec!["\n", "\r\n", "\n\n"]))
        .prop_map(|(words, end)| format!("{words}{end}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    // E2: a patch that fits several places is refused, so an applied change is the intended one. New lines without
    // context are reported as appended at the end.
    #[test]
    fn a_patch_produces_the_intended_text_or_is_refused(before in text(), after in text(), context in 1..4_usize) {
        let (before, after) = (before.concat(), after.concat());
        let scene = Scene::new(&[("a.txt", before.as_bytes())]);
        let told = scene.apply(&patch(&before, &after, context));
        let met = scene.bytes("a.txt");
        match told {
            Ok(told) => prop_assert_eq!(met, after.into_bytes(), "{}", told),
            Err(told) => {
                let reasons = ["any of the lines", "changes nothing", "the same lines"];
                prop_assert!(reasons.iter().any(|reason| told.contains(reason)), "{}", told);
                prop_assert_eq!(met, before.into_bytes());
            }
        }
    }

    // With the whole file as context, every change has exactly one place.
    #[test]
    fn a_patch_with_all_lines_around_is_applied(before in text(), after in text()) {
        let (before, after) = (before.concat(), after.concat());
        prop_assume!(before != after && !before.is_empty());
        let scene = Scene::new(&[("a.txt", before.as_bytes())]);
        let told = scene.apply(&patch(&before, &after, 100));
        prop_assert!(told.is_ok(), "{told:?}");
        prop_assert_eq!(scene.bytes("a.txt"), after.into_bytes());
    }

    // E3, E8: lines that the patch does not touch keep their bytes, whatever they are.
    #[test]
    fn bytes_outside_the_patch_are_identical(
        before in prop::collection::vec(1_u8..=255, 0..40),
        after in prop::collection::vec(1_u8..=255, 0..40),
        ends in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let (head, tail) = ([before.as_slice(), ends.as_bytes()].concat(), after);
        let bytes = [head.as_slice(), b"<old place>", ends.as_bytes(), tail.as_slice()].concat();
        let scene = Scene::new(&[("a.txt", &bytes)]);
        scene.apply("*** Begin Patch\n*** Update File: a.txt\n@@\n-<old place>\n+<new place>\n+more\n*** End Patch").unwrap();
        let new = format!("<new place>{ends}more{ends}");
        prop_assert_eq!(scene.bytes("a.txt"), [head.as_slice(), new.as_bytes(), tail.as_slice()].concat());
    }

    // E1, H6: for any text, nothing panics, a refused patch changes nothing, and every changed file was
    // named.
    #[test]
    fn any_text_is_answered(pieces in prop::collection::vec(piece(), 0..12)) {
        let text = pieces.concat();
        for text in [text.clone(), format!("*** Begin Patch\n{text}*** End Patch")] {
            let scene = Scene::new(&[("a.txt", b"x\ny\n")]);
            let before = scene.tree();
            let (effects, seen) = (scene.effects(&text), scene.inspect(&text));
            prop_assert_eq!(&scene.tree(), &before);
            let told = scene.apply(&text);
            if told.is_err() {
                prop_assert_eq!(&scene.tree(), &before);
                prop_assert_eq!(seen.changes.len(), 0);
            } else {
                prop_assert!(!effects.contains(&Effect::Unknown));
                prop_assert!(!seen.changes.is_empty());
                for (path, _) in scene.tree().iter().filter(|(path, bytes)| before.get(*path) != Some(*bytes)) {
                    let named = |effect: &Effect| effect.path().is_some_and(|named| path.to_str().is_some_and(|path| named.starts_with(path)));
                    prop_assert!(effects.iter().any(named), "{path:?} {effects:?}");
                }
            }
        }
    }
}
