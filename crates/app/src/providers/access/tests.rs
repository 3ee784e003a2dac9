//! The notices about the events of a client.

use super::*;
use crate::notices::Notice;

#[test]
fn an_option_that_a_model_does_not_take_is_reported_once_for_each_model() {
    let texts = Arc::new(Mutex::new(Vec::new()));
    let seen = texts.clone();
    let notices = Notices::new(move |notice: &Notice| seen.lock().unwrap().push(notice.to_string()));
    let reported = Mutex::default();
    for model in ["gpt-5.1", "gpt-5.1", "o3\u{1b}[2J"] {
        let fields = ["stop", "temperature"].map(str::to_owned).into();
        report(&ClientEvent::OptionLoss { model: model.to_owned(), fields }, &notices, &reported);
    }
    let texts = texts.lock().unwrap();
    assert_eq!(texts[0], "warning: gpt-5.1 does not take stop, temperature; the request was sent without");
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(!texts[1].contains('\u{1b}'), "{texts:?}");
}
