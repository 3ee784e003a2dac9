//! Questions and answers of sessions that no run of this process works on.

use super::answer::{Answer, AnswerError, AnswerPlace, OpenQuestion, Reply};
use super::catalog::Sessions;
use super::store::FolderLock;
use crate::config::create_private_folder;
use crate::error::Result;
use crate::feed::{FeedKind, Question, call_card, find_closing, guidance_id};
use crate::runs::{OpenQuestions, RunAnswers, RunFolder, StoredAnswer, store_answer};

/// Returns the open questions of a session's newest run, from its records.
pub(super) fn questions(sessions: &Sessions, session: &str) -> Result<Vec<OpenQuestion>> {
    let record = sessions.find(session)?;
    let folder = sessions.newest_folder(&record)?;
    Ok(list(&OpenQuestions::load(&folder)?))
}

fn list(open: &OpenQuestions) -> Vec<OpenQuestion> {
    let calls = open.questions.iter().map(|request| {
        OpenQuestion::new(&request.request_id, Question::Call { card: Box::new(call_card(request)) })
    });
    let guidance = open.guidance.iter().map(|text| {
        OpenQuestion::new(guidance_id(open.consultation), Question::Guidance { text: text.clone() })
    });
    calls.chain(guidance).collect()
}

/// Stores an answer for a suspended run. The first answer counts, also between processes.
pub(super) fn answer_stored(
    sessions: &Sessions,
    session: &str,
    question: &str,
    answer: Answer,
    by: &str,
) -> Result<AnswerPlace, AnswerError> {
    let record = sessions.find(session)?;
    let folder = sessions.newest_folder(&record)?;
    let open = OpenQuestions::load(&folder)?;
    let Some(asked) = list(&open).into_iter().find(|open| open.id == question) else {
        let events = sessions.events(&record, None)?;
        return Err(match find_closing(&events, question) {
            Some(FeedKind::QuestionClosed { by, .. }) => AnswerError::AlreadyAnswered { by: by.clone() },
            _ => AnswerError::NotOpen { question: question.to_owned() },
        });
    };
    // Two processes may answer in the same moment.
    create_private_folder(&folder.path).map_err(crate::AppError::from)?;
    let _lock = FolderLock::take(&folder.path)?;
    let answers = RunAnswers::load(sessions.app(), &folder, &open)?;
    if let Some(first) = answers.find(question) {
        return Err(AnswerError::AlreadyAnswered { by: first.window().map(str::to_owned) });
    }
    let stored = match answer.reply_to(&asked)? {
        Reply::Later => return Ok(place(&open, &answers, None)),
        Reply::Words(words) => StoredAnswer::guidance(&open, words),
        Reply::Decision(decision) => {
            let request = open.questions.iter().find(|request| request.request_id == question);
            let Some(request) = request else {
                return Err(AnswerError::NotOpen { question: question.to_owned() });
            };
            StoredAnswer::decision(request, decision)
        }
    };
    store(&folder, &stored.with_window(by))?;
    Ok(place(&open, &answers, Some(question)))
}

fn store(folder: &RunFolder, answer: &StoredAnswer) -> Result<(), AnswerError> {
    store_answer(folder, answer).map_err(AnswerError::App)
}

fn place(open: &OpenQuestions, answers: &RunAnswers, answered: Option<&str>) -> AnswerPlace {
    let is_open = |id: &str| answers.approval(id).is_none() && answered.is_none_or(|answered| answered != id);
    let unanswered = open.questions.iter().filter(|request| is_open(&request.request_id)).count();
    AnswerPlace::Stored { unanswered }
}
