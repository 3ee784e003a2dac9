//! The web page: files inside of the program.

use std::sync::Arc;

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse as _;
use axum::routing::get;

use crate::state::Shared;

/// A file of the page: its path, its media type, and its content.
type File = (&'static str, &'static str, &'static str);

const SCRIPT: &str = "text/javascript; charset=utf-8";

const FILES: [File; 19] = [
    ("/", "text/html; charset=utf-8", include_str!("page/index.html")),
    ("/app.css", "text/css; charset=utf-8", include_str!("page/app.css")),
    ("/icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
    ("/manifest.json", "application/manifest+json", include_str!("page/manifest.json")),
    ("/app.js", SCRIPT, include_str!("page/app.js")),
    ("/api.js", SCRIPT, include_str!("page/api.js")),
    ("/arguments.js", SCRIPT, include_str!("page/arguments.js")),
    ("/code.js", SCRIPT, include_str!("page/code.js")),
    ("/composer.js", SCRIPT, include_str!("page/composer.js")),
    ("/dialogs.js", SCRIPT, include_str!("page/dialogs.js")),
    ("/dom.js", SCRIPT, include_str!("page/dom.js")),
    ("/feed.js", SCRIPT, include_str!("page/feed.js")),
    ("/cards.js", SCRIPT, include_str!("page/cards.js")),
    ("/markdown.js", SCRIPT, include_str!("page/markdown.js")),
    ("/notices.js", SCRIPT, include_str!("page/notices.js")),
    ("/push.js", SCRIPT, include_str!("page/push.js")),
    ("/sessions.js", SCRIPT, include_str!("page/sessions.js")),
    ("/sw.js", SCRIPT, include_str!("page/sw.js")),
    ("/transcript.js", SCRIPT, include_str!("page/transcript.js")),
];

/// Returns the routes of the page's files, which need no token: they contain no data of the user.
pub(crate) fn router() -> Router<Arc<Shared>> {
    FILES.into_iter().fold(Router::new(), |router, (path, media_type, content)| {
        let handler = move || async move {
            ([(CONTENT_TYPE, media_type), (CACHE_CONTROL, "no-cache")], content).into_response()
        };
        router.route(path, get(handler))
    })
}

#[cfg(test)]
mod tests {
    use super::FILES;

    #[test]
    fn the_page_is_small_and_has_no_inline_script_or_style() {
        let bytes: usize = FILES.iter().map(|(_, _, content)| content.len()).sum();
        assert!(bytes < 150_000, "{bytes} bytes");
        let (_, _, html) = FILES[0];
        assert_eq!(html.matches("<script").count(), html.matches("<script type=\"module\" src=").count());
        for word in ["<style", " style=", "onclick", "onload", "javascript:"] {
            assert!(!html.contains(word), "{word}");
        }
        for (path, _, content) in FILES.into_iter().filter(|(_, media_type, _)| *media_type == super::SCRIPT)
        {
            for word in
                ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"]
            {
                assert!(!content.contains(word), "{path}: {word}");
            }
        }
    }
}
