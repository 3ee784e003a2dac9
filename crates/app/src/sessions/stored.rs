//! Questions and answers of sessions that no run of this process works on.

use windlass_hitl::Digest;

use super::answer::{Answer, AnswerError, AnswerPlace, OpenQuestion, Reply};
use super::catalog::Sessions;
use super::record::SessionRecord;
use super::store::FolderLock;
use crate::config::create_private_folder;
use crate::error::Result;
use crate::feed::{FeedKind, Question, call_card, find_closing, find_open, guidance_id};
use crate::runs::{OpenQuestions, RunAnswers, RunFolder, StoredAnswer, read_answer, store_answer};

/// Returns the open questions of a session's newest run, from its records.
pub(super) fn questions(sessions: &Sessions, session: &str) -> Result<Vec<OpenQuestion>> {
    let record = sessions.find(session)?;
    if record.state.is_active() {
        return live_questions(sessions, &record);
    }
    Ok(list(&OpenQuestions::load(&sessions.newest_folder(&record)?)?))
}

/// Returns the open questions of a run that works in another process. Its feed also has questions that are answered
/// in text and questions of sub-agents, whose calls have not ended.
fn live_questions(sessions: &Sessions, record: &SessionRecord) -> Result<Vec<OpenQuestion>> {
    let run = record.newest_run().map(|run| run.id.as_str()).unwrap_or_default();
    let open = find_open(sessions.events(record, None)?, run);
    Ok(open.into_iter().map(|(question, card)| OpenQuestion::new(question, card)).collect())
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

/// Stores an answer for a run that is suspended, or that works in another process. The first answer counts, also between
/// processes.
pub(super) fn answer_stored(
    sessions: &Sessions,
    session: &str,
    question: &str,
    answer: Answer,
    by: &str,
) -> Result<AnswerPlace, AnswerError> {
    let record = sessions.find(session)?;
    let folder = sessions.newest_folder(&record)?;
    if record.state.is_active() {
        let asked = find(live_questions(sessions, &record)?, sessions, &record, question)?;
        return answer_live(&folder, &asked, answer, by);
    }
    let open = OpenQuestions::load(&folder)?;
    let asked = find(list(&open), sessions, &record, question)?;
    let _lock = lock(&folder)?;
    let answers = RunAnswers::load(sessions.app(), &folder, &open)?;
    if let Some(first) = answers.find(question) {
        return Err(to_answer_error(first));
    }
    let stored = match answer.reply_to(&asked)? {
        Reply::Later => return Ok(place(&open, &answers, None)),
        Reply::Words(words) => StoredAnswer::guidance(&open, words),
        Reply::Decision(decision) => {
            let request = open.questions.iter().find(|request| request.request_id == question);
            let Some(request) = request else {
                return Err(AnswerError::NotOpen { question: question.to_owned() });
            };
            StoredAnswer::decision(decision, request.digest.clone())
        }
    };
    store_answer(&folder, &stored.with_window(by))?;
    Ok(place(&open, &answers, Some(question)))
}

/// Stores an answer for a run that waits for it in another process.
fn answer_live(
    folder: &RunFolder,
    asked: &OpenQuestion,
    answer: Answer,
    by: &str,
) -> Result<AnswerPlace, AnswerError> {
    let stored = match (answer.reply_to(asked)?, &asked.card) {
        (Reply::Decision(decision), Question::Call { card }) => {
            StoredAnswer::decision(decision, Digest::from_shown(card.digest.as_str()))
        }
        (Reply::Words(words), _) => StoredAnswer::words(&asked.id, words),
        // The other windows can still answer.
        _ => return Ok(AnswerPlace::Run),
    };
    let _lock = lock(folder)?;
    if let Some(first) = read_answer(folder, &stored.name())? {
        return Err(to_answer_error(&first));
    }
    store_answer(folder, &stored.with_window(by))?;
    Ok(AnswerPlace::Run)
}

fn find(
    open: Vec<OpenQuestion>,
    sessions: &Sessions,
    record: &SessionRecord,
    question: &str,
) -> Result<OpenQuestion, AnswerError> {
    if let Some(asked) = open.into_iter().find(|open| open.id == question) {
        return Ok(asked);
    }
    let events = sessions.events(record, None)?;
    Err(match find_closing(&events, question) {
        Some(FeedKind::QuestionClosed { by, .. }) => AnswerError::AlreadyAnswered { by: by.clone() },
        _ => AnswerError::NotOpen { question: question.to_owned() },
    })
}

/// Locks the answers of a run: two processes may answer in the same moment.
fn lock(folder: &RunFolder) -> Result<FolderLock> {
    create_private_folder(&folder.path)?;
    FolderLock::take(&folder.path)
}

fn to_answer_error(first: &StoredAnswer) -> AnswerError {
    AnswerError::AlreadyAnswered { by: first.window().map(str::to_owned) }
}

fn place(open: &OpenQuestions, answers: &RunAnswers, answered: Option<&str>) -> AnswerPlace {
    let is_open = |id: &str| answers.approval(id).is_none() && answered.is_none_or(|answered| answered != id);
    let unanswered = open.questions.iter().filter(|request| is_open(&request.request_id)).count();
    AnswerPlace::Stored { unanswered }
}
