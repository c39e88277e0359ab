//! From what was seen to the verdict: a pure function.

use std::time::{Duration, SystemTime};

use url::{Position, Url};

use super::link::{USELESS_SCHEMES, WebLink};
use super::verdict::{Judgement, MOVED, Verdict};
use super::visit::{Visit, VisitEnd};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Judges a link by what was seen. A certificate that ends less than `tls_days` days after `now` is noted.
pub(crate) fn judge(link: &WebLink, visit: &Visit, now: SystemTime, tls_days: u32) -> Judgement {
    let mut judgement = verdict(link, visit);
    if let Some(host) = failed_host(link, visit) {
        judgement.note("redirected", format!("after a redirect to {host}"));
    }
    let left = visit.certificate_ends.map(|end| end.duration_since(now).unwrap_or_default());
    if let Some(left) = left.filter(|left| *left < DAY * tls_days) {
        let within = match left.as_secs() / DAY.as_secs() {
            0 => "within a day".to_owned(),
            1 => "in 1 day".to_owned(),
            days => format!("in {days} days"),
        };
        judgement.note("certificate_ends", format!("the certificate expires {within}"));
        judgement.certificate_ends = visit.certificate_ends;
    }
    if link.had_credentials {
        judgement.note(
            "credentials",
            "contains a user name or a password, which every visitor can read",
        );
    }
    judgement
}

/// Returns the verdict, with the moves of a link that is fine. It is broken where a visitor cannot get any further either.
fn verdict(link: &WebLink, visit: &Visit) -> Judgement {
    use VisitEnd as End;
    match &visit.end {
        // 416: there is no first byte, because the answer is empty.
        End::Status(200..=299 | 416) => match start_page(link, visit) {
            Some(url) => {
                Judgement::unsure("start_page", format!("redirects to the home page {url}"))
            }
            None => moves(link, visit),
        },
        End::Status(status) => {
            let words = match status {
                401 => ": needs a login",
                403 | 429 | 999 => ": blocks bots; check in a browser",
                410 => ": gone",
                451 => ": unavailable for legal reasons",
                500..=599 => ": the server failed",
                _ => "",
            };
            let is_gone = matches!(status, 404 | 410);
            let verdict = if is_gone { Verdict::Broken } else { Verdict::Unsure };
            let judgement = Judgement::unsure("status", format!("{status}{words}"));
            Judgement { verdict, status: Some(*status), ..judgement }
        }
        End::RedirectLoop if visit.hops.iter().any(|hop| hop.sets_cookie) => Judgement::unsure(
            "cookie_loop",
            "redirects in a loop without cookies; check in a browser",
        ),
        End::RedirectLoop => Judgement::broken("redirect_loop", "redirects in a loop"),
        End::TooManyRedirects => Judgement::broken("too_many_redirects", "more than 10 redirects"),
        End::RedirectScheme(scheme) => {
            let (code, words) = ("redirect_scheme", format!("redirects to a {scheme}: URL"));
            // Others may open an app.
            let is_useless = USELESS_SCHEMES.contains(&scheme.as_str());
            if is_useless { Judgement::broken(code, words) } else { Judgement::unsure(code, words) }
        }
        End::RedirectUnreadable => {
            Judgement::broken("redirect_unreadable", "redirects to an invalid URL")
        }
        End::NoHost => Judgement::broken("no_host", "no such host"),
        End::PrivateHost => Judgement::broken(
            "private_host",
            "points to a private host, which visitors cannot reach",
        ),
        End::PrivateName => {
            Judgement::unsure("private_name", "resolves to a private host; not requested")
        }
        End::NameUnresolved => {
            Judgement::unsure("name_unresolved", "the host cannot be resolved at the moment")
        }
        End::Certificate(why) => {
            Judgement::broken("certificate", format!("invalid certificate: {why}"))
        }
        End::Tls(why) => Judgement::unsure("tls", format!("no secure connection: {why}")),
        End::Timeout | End::NoAnswer => {
            Judgement::unsure("timeout", "no response within the time limit")
        }
        End::Connection(why) => Judgement::unsure("connection", why),
        End::SilentHost => Judgement::unsure(
            "silent_host",
            "skipped: the host did not respond to earlier requests",
        ),
        End::SlowHost => {
            Judgement::unsure("slow_host", "skipped: the requests to this host took 10 minutes")
        }
    }
}

/// Returns the host of the last request, with its port if that is not the usual one, where it is another than that of the link and did not
/// answer well.
fn failed_host(link: &WebLink, visit: &Visit) -> Option<String> {
    match visit.end {
        VisitEnd::Status(200..=299 | 416)
        | VisitEnd::RedirectLoop
        | VisitEnd::TooManyRedirects
        | VisitEnd::RedirectScheme(_)
        | VisitEnd::RedirectUnreadable => return None,
        _ => {}
    }
    let last = &visit.hops.last()?.to;
    let host = |url: &Url| url[Position::BeforeHost..Position::AfterPort].to_owned();
    Some(host(last)).filter(|last| *last != host(&link.url))
}

/// Returns the start page at which a link to something within the same site ends. A redirect to another site is no such case: that is how
/// short links work.
fn start_page(link: &WebLink, visit: &Visit) -> Option<String> {
    let end = &visit.hops.last()?.to;
    let is_start = end.path() == "/" && end.query().is_none() && end.fragment().is_none();
    let same_site = site(end).is_some() && site(end) == site(&link.url);
    (is_start && same_site && link.url.path() != "/").then(|| end.to_string())
}

fn site(url: &Url) -> Option<&str> {
    let host = url.host_str()?;
    Some(host.strip_prefix("www.").unwrap_or(host))
}

/// Judges a link that is fine but could be another one.
fn moves(link: &WebLink, visit: &Visit) -> Judgement {
    let mut judgement = Judgement::default();
    let is_permanent = visit.hops.iter().all(|hop| matches!(hop.status, 301 | 308));
    let had_credentials = visit.hops.iter().any(|hop| hop.had_credentials);
    match visit.hops.last() {
        Some(last) if is_permanent && !had_credentials => {
            let to = with_fragment(last.to.clone(), link.fragment.as_deref());
            judgement.note(MOVED, format!("moved to {to}"));
            judgement.moved_to = Some(to);
        }
        _ if visit.works_with_https => {
            let mut url = link.url.clone();
            if url.set_scheme("https").is_ok() {
                let url = with_fragment(url, link.fragment.as_deref());
                judgement.note("works_with_https", format!("also works with https: {url}"));
            }
        }
        _ => {}
    }
    judgement
}

/// Returns a URL with the fragment of the link that led to it, unless it has its own (RFC 9110, section 10.2.2).
fn with_fragment(mut url: Url, fragment: Option<&str>) -> String {
    if url.fragment().is_none() {
        url.set_fragment(fragment);
    }
    url.into()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{link, words};
    use super::super::visit::Hop;
    use super::*;

    fn hop(status: u16, to: &str) -> Hop {
        Hop { status, to: Url::parse(to).unwrap(), sets_cookie: false, had_credentials: false }
    }

    #[test]
    fn each_end_has_its_verdict() {
        use VisitEnd::*;
        let text = |text: &str| text.to_owned();
        for (end, expected) in [
            (Status(200), "fine: "),
            (Status(204), "fine: "),
            (Status(206), "fine: "),
            (Status(416), "fine: "),
            (Status(404), "broken: 404"),
            (Status(410), "broken: 410: gone"),
            (Status(300), "unsure: 300"),
            (Status(304), "unsure: 304"),
            (Status(400), "unsure: 400"),
            (Status(401), "unsure: 401: needs a login"),
            (Status(403), "unsure: 403: blocks bots; check in a browser"),
            (Status(405), "unsure: 405"),
            (Status(429), "unsure: 429: blocks bots; check in a browser"),
            (Status(451), "unsure: 451: unavailable for legal reasons"),
            (Status(500), "unsure: 500: the server failed"),
            (Status(503), "unsure: 503: the server failed"),
            (Status(999), "unsure: 999: blocks bots; check in a browser"),
            (RedirectLoop, "broken: redirects in a loop"),
            (TooManyRedirects, "broken: more than 10 redirects"),
            (RedirectScheme(text("file")), "broken: redirects to a file: URL"),
            (RedirectScheme(text("tg")), "unsure: redirects to a tg: URL"),
            (RedirectUnreadable, "broken: redirects to an invalid URL"),
            (NoHost, "broken: no such host"),
            (PrivateHost, "broken: points to a private host, which visitors cannot reach"),
            (PrivateName, "unsure: resolves to a private host; not requested"),
            (Certificate(text("expired")), "broken: invalid certificate: expired"),
            (NameUnresolved, "unsure: the host cannot be resolved at the moment"),
            (Tls(text("x")), "unsure: no secure connection: x"),
            (Timeout, "unsure: no response within the time limit"),
            (NoAnswer, "unsure: no response within the time limit"),
            (Connection(text("connection refused")), "unsure: connection refused"),
            (SilentHost, "unsure: skipped: the host did not respond to earlier requests"),
            (SlowHost, "unsure: skipped: the requests to this host took 10 minutes"),
        ] {
            let judgement = judge(
                &link("https://qara.example/menu"),
                &Visit::ended(end.clone()),
                SystemTime::UNIX_EPOCH,
                14,
            );
            assert_eq!(words(&judgement), expected, "{end:?}");
        }
    }

    #[test]
    fn redirects_decide_whether_a_link_has_moved() {
        let cases: [(&str, &[Hop], &str); 14] = [
            (
                "https://a.example/m",
                &[hop(301, "https://b.example/m")],
                "fine: moved to https://b.example/m",
            ),
            (
                "https://a.example/m#x",
                &[hop(308, "https://b.example/m")],
                "fine: moved to https://b.example/m#x",
            ),
            (
                "https://a.example/m#x",
                &[hop(308, "https://b.example/m#y")],
                "fine: moved to https://b.example/m#y",
            ),
            (
                "https://a.example/m",
                &[hop(301, "https://b.example/m"), hop(308, "https://c.example/")],
                "fine: moved to https://c.example/",
            ),
            ("https://a.example/m", &[hop(302, "https://b.example/m")], "fine: "),
            (
                "https://a.example/m",
                &[hop(301, "https://b.example/m"), hop(307, "https://c.example/m")],
                "fine: ",
            ),
            (
                "https://a.example/m",
                &[hop(303, "https://b.example/m"), hop(301, "https://c.example/m")],
                "fine: ",
            ),
            // A short link.
            ("https://a.example/m", &[hop(302, "https://b.example/")], "fine: "),
            (
                "https://a.example/m",
                &[hop(302, "https://www.a.example/")],
                "unsure: redirects to the home page https://www.a.example/",
            ),
            (
                "https://a.example/m",
                &[hop(301, "http://a.example/")],
                "unsure: redirects to the home page http://a.example/",
            ),
            ("https://a.example/m", &[hop(302, "https://a.example/?p=1")], "fine: "),
            ("https://a.example/m", &[hop(302, "https://a.example/#m")], "fine: "),
            ("https://a.example/?p=1", &[hop(302, "https://a.example/")], "fine: "),
            (
                "http://a.example/",
                &[hop(301, "https://a.example/")],
                "fine: moved to https://a.example/",
            ),
        ];
        for (text, hops, expected) in cases {
            let visit = Visit { hops: hops.to_vec(), ..Visit::ended(VisitEnd::Status(200)) };
            let judgement = judge(&link(text), &visit, SystemTime::UNIX_EPOCH, 14);
            assert_eq!(words(&judgement), expected, "{text} {hops:?}");
        }
        // What does not end well is no move.
        let visit = Visit {
            hops: vec![hop(301, "https://b.example/m")],
            ..Visit::ended(VisitEnd::Status(404))
        };
        let judgement = judge(&link("https://a.example/m"), &visit, SystemTime::UNIX_EPOCH, 14);
        assert_eq!(words(&judgement), "broken: 404; after a redirect to b.example");
    }

    #[test]
    fn a_failure_after_a_redirect_names_the_host_that_failed() {
        let of = |hops: &[&str], end: VisitEnd| {
            let hops = hops.iter().map(|to| hop(301, to)).collect();
            let visit = Visit { hops, ..Visit::ended(end) };
            words(&judge(&link("http://a.example/m"), &visit, SystemTime::UNIX_EPOCH, 14))
        };
        let (b, c) = ("https://b.example/m", "https://c.example:8443/m");
        let expired = || VisitEnd::Certificate("expired".to_owned());
        for (hops, end, expected) in [
            (&[b][..], VisitEnd::NoHost, "broken: no such host; after a redirect to b.example"),
            (
                &[b, c],
                expired(),
                "broken: invalid certificate: expired; after a redirect to c.example:8443",
            ),
            (
                &[b],
                VisitEnd::Timeout,
                "unsure: no response within the time limit; after a redirect to b.example",
            ),
            (&["https://a.example/m"], expired(), "broken: invalid certificate: expired"),
            (&[], VisitEnd::NoHost, "broken: no such host"),
            (&[b], VisitEnd::RedirectLoop, "broken: redirects in a loop"),
        ] {
            assert_eq!(of(hops, end), expected);
        }
    }

    #[test]
    fn credentials_and_cookies_of_redirects_are_taken_into_account() {
        let of = |text: &str, hop: Hop, end: VisitEnd| {
            let visit = Visit { hops: vec![hop], ..Visit::ended(end) };
            words(&judge(&link(text), &visit, SystemTime::UNIX_EPOCH, 14))
        };
        let with_password = Hop { had_credentials: true, ..hop(301, "https://b.example/m") };
        assert_eq!(of("https://a.example/", with_password, VisitEnd::Status(200)), "fine: ");
        let with_cookie = Hop { sets_cookie: true, ..hop(302, "https://a.example/") };
        assert_eq!(
            of("https://a.example/", with_cookie, VisitEnd::RedirectLoop),
            "unsure: redirects in a loop without cookies; check in a browser"
        );
        assert_eq!(
            of("https://u:p@a.example/", hop(302, "https://b.example/"), VisitEnd::Status(200)),
            "fine: contains a user name or a password, which every visitor can read"
        );
    }

    #[test]
    fn a_certificate_that_ends_soon_is_noted_whatever_the_verdict() {
        let now = SystemTime::UNIX_EPOCH + 1000 * DAY;
        let at = |days: u32, of: u32, end: VisitEnd| {
            let visit = Visit { certificate_ends: Some(now + DAY * days), ..Visit::ended(end) };
            words(&judge(&link("https://a.example/"), &visit, now, of))
        };
        assert_eq!(at(13, 14, VisitEnd::Status(200)), "fine: the certificate expires in 13 days");
        assert_eq!(at(14, 14, VisitEnd::Status(200)), "fine: ");
        assert_eq!(at(1, 14, VisitEnd::Status(200)), "fine: the certificate expires in 1 day");
        assert_eq!(at(0, 14, VisitEnd::Status(200)), "fine: the certificate expires within a day");
        assert_eq!(at(0, 0, VisitEnd::Status(200)), "fine: ");
        assert_eq!(
            at(29, 30, VisitEnd::Status(404)),
            "broken: 404; the certificate expires in 29 days"
        );
    }

    #[test]
    fn a_link_that_works_with_https_is_noted_unless_it_moved() {
        let of = |hops: Vec<Hop>| {
            let visit =
                Visit { hops, works_with_https: true, ..Visit::ended(VisitEnd::Status(200)) };
            words(&judge(&link("http://a.example/m#x"), &visit, SystemTime::UNIX_EPOCH, 14))
        };
        assert_eq!(of(vec![]), "fine: also works with https: https://a.example/m#x");
        assert_eq!(
            of(vec![hop(302, "https://a.example/m")]),
            "fine: also works with https: https://a.example/m#x"
        );
        assert_eq!(
            of(vec![hop(301, "https://a.example/m")]),
            "fine: moved to https://a.example/m#x"
        );
    }
}
