//! Where a server is and how it is entered. A login that stands in an address is taken out of it, so that the address can
//! be stored and shown.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use percent_encoding::percent_decode_str;
use reqwest::Url;

/// The parameter by which a server takes a login, as base64 of `user:password`.
const TOKEN: &str = "auth_token";
/// The user of a server that was given a password alone.
const USER: &str = "opencode";
/// Where OpenCode itself looks for them.
pub(super) const USER_VARIABLE: &str = "OPENCODE_SERVER_USERNAME";
pub(super) const PASSWORD_VARIABLE: &str = "OPENCODE_SERVER_PASSWORD";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub url: String,
    pub login: Option<Login>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    pub user: String,
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

impl Login {
    /// What the environment has, by the name of a variable.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Option<Login> {
        let given = |name: &str| variable(name).filter(|value| !value.is_empty());
        given(PASSWORD_VARIABLE).map(|password| Login::new(given(USER_VARIABLE), password))
    }

    fn new(user: Option<String>, password: String) -> Login {
        Login { user: user.unwrap_or_else(|| USER.to_owned()), password }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("{0} is no address of a server: write http://HOST:PORT")]
    None(String),
    #[error(
        "the {TOKEN} in the address is no base64 of USER:PASSWORD: put the password into OPENCODE_SERVER_PASSWORD"
    )]
    Token,
    #[error(
        "the password of the OpenCode server at {0} would go over the net in the clear: use https, or a tunnel \
         (`ssh -L 4096:127.0.0.1:4096 HOST`) and its address on loopback"
    )]
    InTheClear(String),
}

impl Address {
    /// Reads an address that a person gave.
    pub fn read(text: &str) -> Result<Address, AddressError> {
        let mut url = parsed(text)?;
        let token = url.query_pairs().find(|(name, _)| name == TOKEN).map(|(_, token)| token.into_owned());
        let by_token = token.map(|token| decoded(&token).ok_or(AddressError::Token)).transpose()?;
        let named = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let in_place = match (url.username(), url.password()) {
            // A name alone is no login, and may be a password that was put in the wrong place.
            (_, None) => None,
            ("", Some(password)) => Some(Login::new(None, named(password))),
            (user, Some(password)) => Some(Login::new(Some(named(user)), named(password))),
        };
        // Both can be taken out of an address that has a host.
        let _done = (url.set_username(""), url.set_password(None));
        url.set_query(None);
        url.set_fragment(None);
        Ok(Address { url: url.to_string().trim_end_matches('/').to_owned(), login: by_token.or(in_place) })
    }

    /// As it is called: nobody on the way may read the password.
    pub(super) fn checked(&self) -> Result<Url, AddressError> {
        let url = parsed(&self.url)?;
        if self.login.is_some() && url.scheme() == "http" && !is_loopback(&url) {
            return Err(AddressError::InTheClear(url.host_str().unwrap_or_default().to_owned()));
        }
        Ok(url)
    }
}

fn parsed(text: &str) -> Result<Url, AddressError> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| AddressError::None(shown(text)))
}

/// What of a text can be shown that may hold a password.
fn shown(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    text.rsplit_once('@').map_or_else(|| text.to_owned(), |(_, host)| format!("…@{host}"))
}

fn decoded(token: &str) -> Option<Login> {
    let bytes = [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD]
        .iter()
        .find_map(|alphabet| alphabet.decode(token).ok())?;
    let text = String::from_utf8(bytes).ok()?;
    let (user, password) = text.split_once(':')?;
    Some(Login { user: user.to_owned(), password: password.to_owned() })
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::{Address, AddressError, Login};

    fn login(user: &str, password: &str) -> Login {
        Login { user: user.to_owned(), password: password.to_owned() }
    }

    #[test]
    fn an_address_is_one_of_a_server() {
        for (good, url) in [
            ("http://127.0.0.1:4096", "http://127.0.0.1:4096"),
            ("https://box.local/oc/", "https://box.local/oc"),
            ("http://[::1]:9/?directory=/x#y", "http://[::1]:9"),
        ] {
            assert_eq!(Address::read(good), Ok(Address { url: url.to_owned(), login: None }), "{good}");
        }
        for bad in ["127.0.0.1:4096", "ftp://a", "http://", "file:///x", ""] {
            assert_eq!(Address::read(bad), Err(AddressError::None(bad.to_owned())), "{bad}");
        }
    }

    #[test]
    fn a_login_is_taken_out_of_the_address() {
        let read = |text: &str| {
            let Address { url, login } = Address::read(text).unwrap();
            assert!(!url.contains("hunter2") && !url.contains("aHVudGVy"), "{url}");
            (url, login)
        };
        let url = "http://127.0.0.1:1".to_owned();
        let whole = read("http://me:hunter2%40x@127.0.0.1:1");
        assert_eq!(whole, (url.clone(), Some(login("me", "hunter2@x"))));
        assert_eq!(read("http://:hunter2@127.0.0.1:1/").1, Some(login("opencode", "hunter2")));
        assert_eq!(read("http://hunter2@127.0.0.1:1"), (url.clone(), None));
        let token = read("http://127.0.0.1:1/?auth_token=bWU6aHVudGVyMg%3D%3D&x=1");
        assert_eq!(token, (url, Some(login("me", "hunter2"))));
        assert_eq!(Address::read("http://127.0.0.1:1/?auth_token=hunter2!"), Err(AddressError::Token));
    }

    #[test]
    fn what_is_no_address_is_shown_without_what_may_be_a_password() {
        for leaking in ["me:hunter2@127.0.0.1:1", "127.0.0.1:1?auth_token=hunter2", "ftp://a#hunter2"] {
            let told = Address::read(leaking).unwrap_err().to_string();
            assert!(!told.contains("hunter2"), "{told}");
        }
        assert!(!format!("{:?}", login("me", "hunter2")).contains("hunter2"));
    }

    #[test]
    fn a_password_goes_over_the_net_under_https_alone() {
        let checked = |url: &str, login| Address { url: url.to_owned(), login }.checked().map(drop);
        let known = || Some(login("me", "hunter2"));
        for safe in ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "https://box:1"] {
            assert_eq!(checked(safe, known()), Ok(()), "{safe}");
        }
        for open in
            ["http://box:1", "http://10.0.0.1:1", "http://127.0.0.1.example.org", "http://[fe80::1]:1"]
        {
            assert!(matches!(checked(open, known()), Err(AddressError::InTheClear(_))), "{open}");
            assert_eq!(checked(open, None), Ok(()), "{open}");
        }
    }
}
