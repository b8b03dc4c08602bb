//! Where texts are sent, and what proves who sends them.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

/// The address of an endpoint: in the clear only on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(Url);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("it is no URL: {0}")]
    NoUrl(String),
    #[error("notes would be sent in the clear; it must begin with https://, or be on this machine")]
    InTheClear,
    #[error("it begins with neither https:// nor http://")]
    Scheme,
    #[error("there is a name or a password in it")]
    Login,
    #[error("there is more than a host and a path in it")]
    More,
}

/// What proves who a person is. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Address {
    pub fn parse(text: &str) -> Result<Address, AddressError> {
        let url = Url::parse(text).map_err(|error| AddressError::NoUrl(error.to_string()))?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let is_here =
            host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        match url.scheme() {
            "https" => {}
            "http" if is_here => {}
            "http" => return Err(AddressError::InTheClear),
            _ => return Err(AddressError::Scheme),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::Login);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(AddressError::More);
        }
        Ok(Address(url))
    }

    /// Over the net there is TLS, and on this machine no proxy.
    pub(crate) fn is_here(&self) -> bool {
        self.0.scheme() == "http"
    }

    pub(crate) fn url(&self) -> &Url {
        &self.0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

impl Key {
    /// None where it cannot be one.
    pub fn parse(text: &str) -> Option<Key> {
        let text = text.trim();
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_plain.then(|| Key(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, AddressError, Key};

    #[test]
    fn texts_go_over_the_net_only_encrypted() {
        for good in [
            "https://api.openai.com/v1/embeddings",
            "http://127.0.0.1:11434/v1/embeddings",
            "http://[::1]:9/",
        ] {
            assert!(Address::parse(good).is_ok(), "{good}");
        }
        for (bad, why) in [
            ("http://example.com/v1", AddressError::InTheClear),
            ("http://127.0.0.1.example.com", AddressError::InTheClear),
            ("http://localhost.example.com", AddressError::InTheClear),
            ("ftp://localhost", AddressError::Scheme),
            ("https://user:pass@example.com", AddressError::Login),
            ("https://example.com/?key=b", AddressError::More),
        ] {
            assert_eq!(Address::parse(bad), Err(why), "{bad}");
        }
        assert!(matches!(Address::parse("api.openai.com"), Err(AddressError::NoUrl(_))));
    }

    #[test]
    fn a_key_is_one_word_and_never_shown() {
        assert_eq!(format!("{:?}", Key::parse(" sk-123\n").unwrap()), "Key(…)");
        for bad in ["", " ", "a b", "a\nb", "ä"] {
            assert_eq!(Key::parse(bad), None, "{bad:?}");
        }
    }
}
