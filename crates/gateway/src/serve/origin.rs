//! Requests of web pages: the check of their origin and of the server's name, and the headers for permitted ones.

use hyper::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::{Response, StatusCode};

use crate::Front;

/// The refusal of a request that a page of another site may have sent.
pub(super) struct PageRefusal {
    pub(super) status: StatusCode,
    pub(super) words: &'static str,
}

/// Returns the permitted origin of a request, or `None` for a request of a program.
///
/// # Errors
/// The request may be that of a page of another site.
pub(super) fn check_page(front: &Front, headers: &HeaderMap) -> Result<Option<HeaderValue>, PageRefusal> {
    let is_text = |value: &HeaderValue, permits: &dyn Fn(&str) -> bool| value.to_str().is_ok_and(permits);
    if !headers.get_all(HOST).iter().all(|host| is_text(host, &|host| front.permits_host(host))) {
        return Err(PageRefusal {
            status: StatusCode::MISDIRECTED_REQUEST,
            words: "this server has no such name; permit the name of the host, or require keys of clients",
        });
    }
    let refused = PageRefusal { status: StatusCode::FORBIDDEN, words: "requests from web pages are refused" };
    match (headers.get(ORIGIN), headers.get("sec-fetch-site")) {
        (Some(origin), _) if is_text(origin, &|origin| front.permits_origin(origin)) => {
            Ok(Some(origin.clone()))
        }
        // A browser sends no origin with pictures, scripts and links of a page.
        (None, None) => Ok(None),
        (None, Some(site)) if site == "none" || site == "same-origin" => Ok(None),
        _ => Err(refused),
    }
}

/// Adds the headers with which a browser shows a response to a page of this origin.
pub(super) fn permit<B>(mut response: Response<B>, origin: HeaderValue) -> Response<B> {
    let headers = response.headers_mut();
    headers.insert("access-control-allow-origin", origin);
    let fixed = [
        ("vary", "origin"),
        ("access-control-allow-methods", "GET, POST, DELETE"),
        ("access-control-allow-headers", "*, authorization"),
        ("access-control-expose-headers", "*"),
        ("access-control-max-age", "600"),
    ];
    headers
        .extend(fixed.map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))));
    response
}
