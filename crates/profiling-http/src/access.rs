//! Who is answered.

use std::net::{Ipv4Addr, Ipv6Addr};

use base64::{Engine, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderValue, Uri, header, uri::Authority};
use subtle::ConstantTimeEq;

use crate::refusal::Refusal;

/// Who is answered: whoever has the token, if there is one, and no page of another server in somebody's browser.
#[derive(Debug, Default)]
pub(crate) struct Access {
    pub(crate) token: Option<Token>,
    /// Names that the server is called by, beside those of this machine; lower case.
    pub(crate) hosts: Vec<String>,
}

/// A secret; it is not shown.
pub(crate) struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// None unless it is what a header can hold: visible ASCII characters, at least 16.
    pub(crate) fn new(text: String) -> Option<Self> {
        let is_well = text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_well.then_some(Self(text))
    }

    /// Whether a header `Authorization` holds it: as a bearer token, or as the password of any user.
    fn is_in(&self, header: &HeaderValue) -> bool {
        let Some((scheme, credentials)) = header.to_str().ok().and_then(|text| text.split_once(' ')) else {
            return false;
        };
        let credentials = credentials.trim();
        if scheme.eq_ignore_ascii_case("bearer") {
            return self.is(credentials.as_bytes());
        }
        let password = || {
            let mut pair = STANDARD.decode(credentials).ok()?;
            let colon = pair.iter().position(|byte| *byte == b':')?;
            Some(pair.split_off(colon + 1))
        };
        scheme.eq_ignore_ascii_case("basic") && password().is_some_and(|password| self.is(&password))
    }

    fn is(&self, other: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(other).into()
    }
}

impl Access {
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = self.host(uri, headers)?;
        same_origin(&host, headers)?;
        let is_in =
            |token: &Token| headers.get(header::AUTHORIZATION).is_some_and(|header| token.is_in(header));
        if self.token.as_ref().is_none_or(is_in) { Ok(()) } else { Err(Refusal::NoToken) }
    }

    /// The server as the client calls it. A name that is not one of ours may have been made to lead here by somebody whose page
    /// the client looks at; an address cannot.
    fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<Authority, Refusal> {
        let mut named = headers.get_all(header::HOST).iter();
        let text = match (named.next(), named.next()) {
            (Some(host), None) => host.to_str().unwrap_or_default(),
            (None, None) => uri.authority().map(Authority::as_str).unwrap_or_default(),
            _ => "",
        };
        let authority =
            text.parse::<Authority>().ok().filter(|it| !text.contains('@') && self.is_ours(it.host()));
        let addresses = if self.token.is_some() { "an address" } else { "a loopback address" };
        authority.ok_or_else(|| Refusal::Host { host: text.to_owned(), addresses })
    }

    fn is_ours(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let allowed = |is_loopback: bool| is_loopback || self.token.is_some();
        if let Ok(address) = host.parse::<Ipv4Addr>() {
            return allowed(address.is_loopback()) || self.hosts.contains(&host);
        }
        let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        if let Some(address) = inner.and_then(|host| host.parse::<Ipv6Addr>().ok()) {
            return allowed(address.is_loopback()) || self.hosts.contains(&host);
        }
        host == "localhost" || self.hosts.contains(&host)
    }
}

/// A browser says which page makes it ask, unless it is the person who does.
fn same_origin(host: &Authority, headers: &HeaderMap) -> Result<(), Refusal> {
    let is_ours = |origin: &HeaderValue| {
        let origin = origin.to_str().ok().and_then(|text| text.parse::<Uri>().ok());
        origin.as_ref().and_then(Uri::authority).is_some_and(|origin| origin == host)
    };
    match headers.get_all(header::ORIGIN).iter().find(|origin| !is_ours(origin)) {
        Some(origin) => {
            Err(Refusal::Origin { origin: String::from_utf8_lossy(origin.as_bytes()).into_owned() })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn check(access: &Access, headers: &[(&'static str, &str)]) -> Result<(), String> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        access.check(&Uri::from_static("/debug/pprof/heap"), &map).map_err(|refusal| refusal.to_string())
    }

    fn with_token() -> Access {
        Access { token: Token::new(TOKEN.to_owned()), hosts: vec!["heap.shop.test".to_owned()] }
    }

    #[test]
    fn without_a_token_the_host_is_this_machine() {
        let access = Access { hosts: vec!["heap.shop.test".to_owned()], ..Access::default() };
        let host = |host| check(&access, &[("host", host)]);
        for ours in
            ["localhost", "LOCALHOST:6060", "127.0.0.1:6060", "127.9.9.9", "[::1]:6060", "Heap.Shop.test:1"]
        {
            assert_eq!(host(ours), Ok(()), "{ours}");
        }
        for other in [
            "evil.test",
            "10.0.0.7:6060",
            "[fd00::1]",
            "localhost.evil.test",
            "me@localhost",
            "127.0.0.1.evil.test",
            "",
        ] {
            assert!(
                host(other).unwrap_err().starts_with(&format!("the host `{other}` is not known here")),
                "{other}"
            );
        }
        assert!(check(&access, &[]).is_err());
        assert!(
            check(&access, &[("host", "localhost"), ("host", "localhost")]).is_err(),
            "which of the two?"
        );
    }

    #[test]
    fn with_a_token_any_address_will_do_and_a_strange_name_will_not() {
        let access = with_token();
        let bearer = format!("Bearer {TOKEN}");
        let host = |host| check(&access, &[("host", host), ("authorization", &bearer)]);
        assert_eq!([host("10.0.0.7:6060"), host("[fd00::1]"), host("localhost")], [Ok(()), Ok(()), Ok(())]);
        assert!(host("evil.test").is_err());
    }

    #[test]
    fn the_token_is_a_bearer_or_a_password() {
        let access = with_token();
        let with = |value: &str| check(&access, &[("host", "localhost"), ("authorization", value)]).is_ok();
        let basic = |pair: String| with(&format!("Basic {}", STANDARD.encode(pair)));
        assert!(with(&format!("Bearer {TOKEN}")) && with(&format!("bEARER {TOKEN}")));
        assert!(basic(format!("me:{TOKEN}")) && basic(format!(":{TOKEN}")));
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            "Basic",
            "Basic !",
            "Bearer 0123456789abcdeF",
            TOKEN,
            "Digest 0123456789abcdef",
        ] {
            assert!(!with(wrong), "{wrong}");
        }
        assert!(!with(&format!("Bearer {}", &TOKEN[..15])) && !with(&format!("Bearer {TOKEN}0")));
        assert!(!basic(format!("{TOKEN}:me")) && !basic(TOKEN.to_owned()));
        assert!(check(&access, &[("host", "localhost")]).unwrap_err().starts_with("a token is needed"));
    }

    #[test]
    fn a_token_is_long_and_visible() {
        for bad in ["", "short", "0123456789abcde ", "0123456789abcdé", "0123456789abcde\n"] {
            assert!(Token::new(bad.to_owned()).is_none(), "{bad}");
        }
        assert_eq!(format!("{:?}", with_token().token), "Some(Token)");
    }

    #[test]
    fn another_page_is_refused() {
        let access = Access::default();
        let origin = |origin| check(&access, &[("host", "localhost:6060"), ("origin", origin)]);
        assert_eq!(origin("http://localhost:6060"), Ok(()));
        for other in ["http://evil.test", "http://localhost:7070", "http://127.0.0.1:6060", "null", "file://"]
        {
            let expected = format!("the request comes from a page of `{other}`, which is not this server");
            assert_eq!(origin(other), Err(expected));
        }
    }
}
