//! Checks of the URLs that a login may use.

use url::{Host, Url};

use crate::base_url::{BaseUrl, is_loopback};
use crate::private_host::is_private;

/// Reads a URL that was named by the connector or by a server that the connector leads to.
pub(super) fn check(text: &str, connector: &Url) -> Result<Url, String> {
    let shown = BaseUrl::without_user_info(text);
    let url = Url::parse(text).map_err(|error| format!("{shown:?} is not a URL: {error}"))?;
    let refused = |why: &str| Err(format!("{shown:?} is refused: {why}"));
    if !url.username().is_empty() || url.password().is_some() {
        return refused("it holds a user name or a password");
    }
    if url.fragment().is_some() {
        return refused("it has a fragment");
    }
    match url.scheme() {
        "https" => {}
        "http" if is_loopback(&url) && is_loopback(connector) => {}
        scheme => return refused(&format!("it is {scheme}, not https")),
    }
    let is_foreign = !is_loopback(connector) && url.host() != connector.host();
    let is_inside = match url.host() {
        Some(Host::Ipv4(address)) => is_private(address.into()),
        Some(Host::Ipv6(address)) => is_private(address.into()),
        Some(Host::Domain(_)) | None => is_loopback(&url),
    };
    if is_foreign && is_inside {
        return refused("it leads to a private host");
    }
    Ok(url)
}

/// Reads the connector's own URL, which the user has named.
pub(super) fn connector(text: &str) -> Result<Url, String> {
    let shown = BaseUrl::without_user_info(text);
    let url =
        Url::parse(text.trim()).map_err(|error| format!("{shown:?} is not a URL: {error}"))?;
    check(url.as_str(), &url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_81_a_login_leads_to_public_https_only() {
        let public = Url::parse("https://links.example/mcp").unwrap();
        let local = Url::parse("http://127.0.0.1:8000/mcp").unwrap();
        for good in ["https://login.example/authorize?x=1", "https://links.example:444/token"] {
            check(good, &public).unwrap();
            check(good, &local).unwrap();
        }
        for bad in [
            "http://links.example/token",
            "http://127.0.0.1.evil.example/token",
            "http://localhost@evil.example/",
            "https://user:pw@links.example/",
            "https://links.example/#fragment",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:text/html,x",
            "calc.exe",
            "--flag",
            "$(id)",
            "",
        ] {
            check(bad, &public).unwrap_err();
            check(bad, &local).unwrap_err();
        }
        for inside in [
            "https://10.0.0.1/token",
            "https://[::1]/",
            "https://localhost/",
            "https://169.254.169.254/",
        ] {
            check(inside, &public).unwrap_err();
            check(inside, &local).unwrap();
        }
        check("http://[::1]:99/token", &local).unwrap();
        check("http://[::1]:99/token", &public).unwrap_err();
        let inside = Url::parse("https://10.0.0.1/mcp").unwrap();
        check("https://10.0.0.1/token", &inside).unwrap();
        check("https://10.0.0.2/token", &inside).unwrap_err();
    }

    #[test]
    fn fault_78_the_connector_is_not_spoken_to_in_the_clear() {
        for bad in [
            "http://links.example/mcp",
            "ftp://links.example",
            "links.example",
            "https://a@links.example",
        ] {
            connector(bad).unwrap_err();
        }
        assert_eq!(
            connector(" http://localhost:1/mcp\n").unwrap().as_str(),
            "http://localhost:1/mcp"
        );
    }
}
