//! Refusals of the API server, as faults for the machine that decides what they mean.

use http::HeaderMap;
use scheduler_model::time::Span;
use scheduler_protocol::watch::Fault;
use serde::Deserialize;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    code: Option<u16>,
    reason: Option<String>,
    message: Option<String>,
    details: Option<Details>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Details {
    retry_after_seconds: Option<u32>,
}

/// Longest message that is kept.
const WORDS: usize = 300;

/// A `Status` object, or whatever came in its place.
pub(super) fn of_status(code: u16, body: &[u8]) -> Fault {
    let status: Option<Status> = serde_json::from_slice(body).ok();
    let Some(status) = status else {
        let said = String::from_utf8_lossy(body);
        return Fault::code(code, "", &said.chars().take(WORDS).collect::<String>());
    };
    let message: String = status.message.unwrap_or_default().chars().take(WORDS).collect();
    let seconds = status.details.and_then(|details| details.retry_after_seconds);
    Fault {
        retry_after: seconds.map(|seconds| Span::from_secs(i64::from(seconds))),
        ..Fault::code(
            status.code.filter(|code| *code > 0).unwrap_or(code),
            &status.reason.unwrap_or_default(),
            &message,
        )
    }
}

/// A response that is no success.
pub(super) fn of_response(code: u16, headers: &HeaderMap, body: &[u8]) -> Fault {
    let fault = of_status(code, body);
    let header = headers.get(http::header::RETRY_AFTER).and_then(|value| value.to_str().ok());
    let seconds = header.and_then(|value| value.trim().parse::<u32>().ok());
    let asked = seconds.map(|seconds| Span::from_secs(i64::from(seconds)));
    Fault { code, retry_after: asked.or(fault.retry_after), ..fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_keeps_code_words_and_the_pause_that_is_asked_for() {
        let mut headers = HeaderMap::new();
        headers.insert(http::header::RETRY_AFTER, "2".parse().expect("a header"));
        let body = br#"{"kind":"Status","code":429,"reason":"TooManyRequests","message":"slow"}"#;
        let fault = of_response(429, &headers, body);
        assert_eq!((fault.code, &*fault.reason, &*fault.message), (429, "TooManyRequests", "slow"));
        assert_eq!(fault.retry_after, Some(Span::from_secs(2)));
    }

    #[test]
    fn a_page_of_a_proxy_is_a_fault_too() {
        let fault = of_response(502, &HeaderMap::new(), b"<html>Bad Gateway</html>");
        assert_eq!((fault.code, &*fault.message), (502, "<html>Bad Gateway</html>"));
    }
}
