//! Where a token may be sent, and what proves who a person is.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;
use reqwest::blocking::RequestBuilder;
use reqwest::header::AUTHORIZATION;

/// The address of a server, to which a token may be sent: in the clear only to this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(Url);

/// What proves who a person is. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// How a server wants to be told who asks.
#[derive(Debug, Clone)]
pub(crate) enum Credentials {
    Plain(Secret),
    Bearer(Secret),
    Basic { user: String, secret: Secret },
}

impl Address {
    pub fn parse(text: &str) -> Result<Address, String> {
        let url = Url::parse(text.trim_end_matches('/')).map_err(|error| format!("it is no URL: {error}"))?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let is_here =
            host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        match url.scheme() {
            "https" => {}
            "http" if is_here => {}
            "http" => {
                return Err("a token would be sent in the clear; it must begin with https://".to_owned());
            }
            _ => return Err("it does not begin with https://".to_owned()),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("there is a name or a password in it".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("there is more than a host and a path in it".to_owned());
        }
        Ok(Address(url))
    }

    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    pub(crate) fn is_here(&self) -> bool {
        self.0.scheme() == "http"
    }

    pub(crate) fn below(&self, path: &str) -> Result<Url, String> {
        let whole = format!("{}{path}", self.0.as_str().trim_end_matches('/'));
        Url::parse(&whole).map_err(|error| error.to_string())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

impl Secret {
    /// None where it cannot be one.
    pub fn parse(text: &str) -> Option<Secret> {
        let text = text.trim();
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_plain.then(|| Secret(text.to_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Credentials {
    pub(crate) fn on(&self, request: RequestBuilder) -> RequestBuilder {
        match self {
            Credentials::Plain(secret) => request.header(AUTHORIZATION, secret.0.as_str()),
            Credentials::Bearer(secret) => request.bearer_auth(&secret.0),
            Credentials::Basic { user, secret } => request.basic_auth(user, Some(&secret.0)),
        }
    }

    pub(crate) fn secret(&self) -> &str {
        let (Credentials::Plain(secret) | Credentials::Bearer(secret) | Credentials::Basic { secret, .. }) =
            self;
        &secret.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, Secret};

    #[test]
    fn a_token_goes_over_the_net_only_encrypted() {
        for good in [
            "https://api.linear.app/graphql",
            "https://x.atlassian.net/",
            "http://127.0.0.1:9",
            "http://[::1]:9/a",
            "http://localhost:1",
        ] {
            assert!(Address::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "http://example.com",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com",
            "ftp://localhost",
            "file:///etc/passwd",
            "api.linear.app",
            "",
            "https://user:pass@example.com",
            "https://example.com/?a=b",
            "https://example.com/#a",
        ] {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
        let address = Address::parse("https://x.atlassian.net/jira/").unwrap();
        assert_eq!(address.to_string(), "https://x.atlassian.net/jira");
        assert_eq!(address.below("/rest?x=1").unwrap().as_str(), "https://x.atlassian.net/jira/rest?x=1");
    }

    #[test]
    fn a_secret_is_one_word_and_never_shown() {
        let secret = Secret::parse(" lin_api_123\n").unwrap();
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        for bad in ["", " ", "a b", "a\nb", "ä", "a\0"] {
            assert_eq!(Secret::parse(bad), None, "{bad:?}");
        }
    }
}
