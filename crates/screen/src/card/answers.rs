//! The answers to a card, and their keys.

/// Answer to an approval card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Answer {
    /// The call may run.
    Once,
    /// The call and similar ones may run in this session.
    Session,
    /// A rule is proposed for the user's policy file.
    Rule,
    /// The arguments are edited, checked and bound again.
    Edit,
    /// The call may not run. Words become a comment for the model.
    No,
    /// The question stays open.
    Later,
    /// Shows the whole card.
    Details,
    /// Returns from a preview to the question.
    Back,
}

impl Answer {
    /// All answers, in the order of a card.
    pub const ALL: [Self; 8] =
        [Self::Once, Self::Session, Self::Rule, Self::Edit, Self::No, Self::Later, Self::Details, Self::Back];

    /// Returns the key of the answer.
    ///
    /// ```
    /// use windlass_screen::Answer;
    /// assert_eq!(Answer::from_key('a'), Some(Answer::Session));
    /// assert_eq!(Answer::Session.key(), 'a');
    /// assert_eq!(Answer::from_key('Y'), None);
    /// ```
    pub fn key(self) -> char {
        match self {
            Self::Once => 'y',
            Self::Session => 'a',
            Self::Rule => 'r',
            Self::Edit => 'e',
            Self::No => 'n',
            Self::Later => 'l',
            Self::Details => 'd',
            Self::Back => 'b',
        }
    }

    /// Returns the answer of a key.
    pub fn from_key(key: char) -> Option<Self> {
        Self::ALL.into_iter().find(|answer| answer.key() == key)
    }

    /// Returns the text that is shown beside the key.
    pub fn label(self) -> &'static str {
        match self {
            Self::Once => "yes, once",
            Self::Session => "yes, for this session",
            Self::Rule => "make a rule",
            Self::Edit => "edit the arguments",
            Self::No => "no, with a comment",
            Self::Later => "later",
            Self::Details => "show everything",
            Self::Back => "back to the question",
        }
    }

    /// Returns whether later calls run without a question after this answer.
    pub fn is_remembered(self) -> bool {
        matches!(self, Self::Session | Self::Rule)
    }
}
