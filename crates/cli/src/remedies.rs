//! Wording of the application's remedies, with the options and commands of this program.

use windlass_app::{AppError, Notice, Remedy, Setting};

/// Returns the text about the remedy of an error, or of one of its causes.
pub(crate) fn find_remedy(error: &anyhow::Error) -> Option<String> {
    let remedy = error.chain().find_map(|cause| cause.downcast_ref::<AppError>()?.remedy())?;
    match remedy {
        Remedy::Set(setting) => word_setting(setting),
        Remedy::Consent => Some("approve with --yes".to_owned()),
        Remedy::Replace => Some("pass --force to replace it".to_owned()),
        Remedy::ResumeRun(id) => Some(format!("continue with: windlass run --resume {id}")),
        Remedy::ContinueSession(id) => {
            Some(format!("continue its session by a new run with: windlass run --continue {id} \"TASK\""))
        }
        Remedy::ResumeWorkflow(id) => Some(format!("continue with: windlass workflow run --resume {id}")),
        // A remedy of a later version, for which this program has no option.
        _ => None,
    }
}

fn word_setting(setting: &Setting) -> Option<String> {
    let words = match setting {
        Setting::Model => "name one with --model",
        Setting::Provider => "name one with --provider or --base-url",
        Setting::Fallbacks => "correct --fallback",
        Setting::EmbeddingsUrl => "correct --embeddings",
        Setting::EmbeddingsModel => "name one with --embeddings-model",
        Setting::Autonomy(level) => return Some(format!("set it with --autonomy {level}")),
        Setting::ApprovalFolder => "correct --approve-in",
        Setting::McpServer => "name one with --command or --url",
        _ => return None,
    };
    Some(words.to_owned())
}

/// Returns the text of a notice, with the command that reverses the reported change.
pub(crate) fn word_notice(notice: &Notice) -> String {
    match notice {
        Notice::Learned { text, id } => {
            format!("{text}; revoke it with: windlass policy learned --revoke {id}")
        }
        Notice::Untrusted { text, folder } => {
            format!("warning: {text}; look at it and trust it with: windlass trust {}", folder.display())
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;
    use windlass_app::{AppError, ErrorKind, Remedy, Setting};

    use super::find_remedy;

    #[test]
    fn the_option_of_a_setting_is_found_behind_the_context_of_an_error() {
        let error =
            AppError::new(ErrorKind::Invalid, "no model is named").with_remedy(Remedy::Set(Setting::Model));
        assert!(!error.to_string().contains("--"));
        let outer = Err::<(), _>(error).context("the run cannot begin").err();
        assert_eq!(outer.and_then(|error| find_remedy(&error)).as_deref(), Some("name one with --model"));
        assert_eq!(find_remedy(&AppError::new(ErrorKind::Invalid, "plain").into()), None);
    }
}
