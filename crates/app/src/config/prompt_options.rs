//! Texts of the user for the system prompt.

use serde::{Deserialize, Serialize};

use crate::error::{Result, ensure};

/// Maximum length of a prompt of the user, in bytes.
const MAX_PROMPT_BYTES: usize = 256 * 1024;

/// Words of the user for the system prompt of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PromptOptions {
    /// Text in place of the built-in prompt. Instruction files and facts follow it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Texts after the prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub append: Vec<String>,
}

impl PromptOptions {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Fails if a text is too long.
    pub(crate) fn check(&self) -> Result<()> {
        let bytes = self.system.iter().chain(&self.append).map(String::len).fold(0, usize::saturating_add);
        ensure!(
            bytes <= MAX_PROMPT_BYTES,
            Invalid,
            "the system prompt has {bytes} bytes, at most {MAX_PROMPT_BYTES} are allowed"
        );
        Ok(())
    }
}
