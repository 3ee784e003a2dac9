//! Texts that earlier versions wrote into records, and their present wording.

/// Pieces of questions and notes in an earlier wording, each with the present one.
const EARLIER: &[(&str, &str)] = &[
    (
        " since anybody was asked. May it go on? (yes, no, or words for the model)",
        " since the last question. Continue? (yes, no, or a message for the model)",
    ),
    ("The model made nothing but mistakes in ", "The model made only mistakes in "),
    (
        "The program ended while these calls ran, and nobody knows what they did: ",
        "The program ended while these calls ran, and their effects are not known: ",
    ),
    (
        " What should the model know before it goes on? (nothing, or words for the model)",
        " What should the model know before it continues? (nothing, or a message for the model)",
    ),
    (
        "Earlier turns were left out here, because there was no more room. Look again at what you need of them.",
        "Earlier turns were left out here, because the context window was full. Repeat the calls whose results you \
         still need.",
    ),
    (
        "Turns after that were left out too, without a summary. Look again at what you need of them.",
        "Turns after that were left out too, without a summary. Repeat the calls whose results you still need.",
    ),
];

/// Returns a recorded text in the present wording, so that a resumed run recognizes its own question or note.
pub(crate) fn to_present_wording(recorded: &str) -> String {
    EARLIER.iter().fold(recorded.to_owned(), |text, (earlier, present)| text.replace(earlier, present))
}

#[cfg(test)]
mod tests {
    use super::{EARLIER, to_present_wording};
    use crate::words::{ask_about_unknown, ask_for_more, left_out, left_out_without_summary, mistakes};

    #[test]
    fn each_earlier_wording_maps_to_a_current_text() {
        let written = [
            ask_for_more("The run", "3 requests"),
            mistakes(3),
            ask_about_unknown(&["`a`".to_owned()]),
            left_out(None),
            left_out_without_summary(Some("a summary".to_owned())),
        ];
        for (earlier, present) in EARLIER {
            let text = written.iter().find(|text| text.contains(present));
            let text = text.unwrap_or_else(|| panic!("nothing writes {present:?}"));
            assert_eq!(&to_present_wording(&text.replace(present, earlier)), text);
        }
    }

    #[test]
    fn a_note_of_an_earlier_version_is_not_repeated() {
        let note = EARLIER[4].0.to_owned();
        assert_eq!(left_out_without_summary(Some(note.clone())), note);
        let longer = format!("a summary\n\n{}", EARLIER[5].0);
        assert_eq!(left_out_without_summary(Some(longer.clone())), longer);
    }
}
