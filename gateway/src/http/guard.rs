//! May this request come in at all? Host, Origin and size, before anything is read; and the
//! headers that every answer carries.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName,
    HeaderValue, ORIGIN, REFERRER_POLICY, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;

use super::Shared;
use super::api::{NOT_PAIRED, Refusal, paired};
use super::front::Front;
use super::session::Travel;
use super::v1;

/// The largest body that is read, in bytes.
pub const BODY_LIMIT: usize = 64 * 1024;

/// The largest file that is read, in bytes.
pub const UPLOAD_LIMIT: usize = 20_000_000;

/// How long a browser may take to send a file.
const UPLOAD_TIME: Duration = Duration::from_secs(120);

/// How long a browser may take to send a body.
const BODY_TIME: Duration = Duration::from_secs(10);

/// On every answer, errors too.
const HEADERS: [(HeaderName, &str); 8] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (X_FRAME_OPTIONS, "DENY"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=()",
    ),
];

/// The names under which the page may be reached. Any other name is somebody's who points it at
/// us (DNS rebinding).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(Vec<Host>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Host {
    /// As it stands in the `Host` header.
    name: String,
    /// As it stands in the `Origin` header of its own pages.
    origin: String,
}

impl Hosts {
    /// The loopback names of the address listened on, and what is configured besides.
    ///
    /// # Errors
    /// When the address of the listener cannot be read.
    pub(super) fn of(front: &Front, configured: &[String]) -> std::io::Result<Self> {
        let bound: SocketAddr = front.listener.local_addr()?;
        let (scheme, usual) = match front.tls {
            None => ("http", 80),
            Some(_) => ("https", 443),
        };
        let port = bound.port();
        let ip = match bound.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => "127.0.0.1".to_owned(),
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) if ip.is_unspecified() => "127.0.0.1".to_owned(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        let mut names = Vec::new();
        for name in [ip, "localhost".to_owned()] {
            if port == usual {
                names.push(Host::by(scheme, &name));
            }
            names.push(Host::by(scheme, &format!("{name}:{port}")));
        }
        names.extend(configured.iter().map(|host| Host::configured(host)));
        Ok(Self(names))
    }

    /// The host that is asked for, as the asking page knows it where it says so.
    fn find(&self, headers: &HeaderMap) -> Option<&Host> {
        let name = the_only(headers, &HOST)?;
        let origin = the_only(headers, &ORIGIN);
        let mut named = self
            .0
            .iter()
            .filter(|host| host.name.eq_ignore_ascii_case(name));
        let first = named.clone().next();
        let exact = named.find(|host| origin == Some(host.origin.as_str()));
        exact.or(first)
    }

    /// Whether the cookie of a request's host may travel without TLS.
    pub(super) fn travel(&self, headers: &HeaderMap) -> Travel {
        match self.find(headers) {
            Some(host) if host.origin.starts_with("https://") => Travel::TlsOnly,
            Some(_) | None => Travel::Plain,
        }
    }
}

impl Host {
    fn by(scheme: &str, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            origin: format!("{scheme}://{name}"),
        }
    }

    fn configured(text: &str) -> Self {
        let text = text.trim().trim_end_matches('/');
        match text.split_once("://") {
            Some((_, name)) => Self {
                name: name.to_owned(),
                origin: text.to_owned(),
            },
            None => Self::by("http", text),
        }
    }
}

/// Refuses what may not come in, and puts the headers on whatever goes out.
pub(super) async fn guard(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let mut response = match admit(&shared, request).await {
        Ok(request) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    if response.status() == StatusCode::UNAUTHORIZED {
        let how = HeaderValue::from_static("Bearer");
        response.headers_mut().insert(WWW_AUTHENTICATE, how);
    }
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        // A file that is handed out forbids more.
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

async fn admit(shared: &Shared, request: Request) -> Result<Request, Refusal> {
    let (parts, body) = request.into_parts();
    let hosts = &shared.hosts;
    let host = hosts.find(&parts.headers).ok_or(Refusal::new(
        StatusCode::MISDIRECTED_REQUEST,
        "this is not the address of this Postern; open the link that it printed",
    ))?;
    let named = parts.uri.authority().map(|named| named.as_str());
    if named.is_some_and(|named| !named.eq_ignore_ascii_case(&host.name)) {
        return Err(Refusal::new(
            StatusCode::MISDIRECTED_REQUEST,
            "the address and the host header differ",
        ));
    }
    if parts.uri.path().starts_with(v1::UNDER) {
        return program(shared, host, parts, body).await;
    }
    if parts.method == Method::GET || parts.method == Method::HEAD {
        if parts.uri.path().starts_with("/api/") || parts.uri.path() == "/metrics" {
            same_site(&parts.headers)?;
        }
        return Ok(Request::from_parts(parts, Body::empty()));
    }
    if the_only(&parts.headers, &ORIGIN) != Some(host.origin.as_str()) {
        return Err(ELSEWHERE);
    }
    same_site(&parts.headers)?;
    let body = if parts.uri.path().starts_with("/api/upload/") {
        // So much is read from nobody who is not let in, and from few at once.
        let who = paired(shared, &parts.headers).await?;
        who.ok_or(NOT_PAIRED)?;
        let _turn = UPLOADS.acquire().await;
        read(&parts.headers, body, &UPLOAD).await?
    } else {
        read(&parts.headers, body, &JSON).await?
    };
    Ok(Request::from_parts(parts, body))
}

/// What a program asks carries a token and no cookie, so a page elsewhere can add nothing to it; a
/// browser that asks for such a page is refused all the same.
async fn program(
    shared: &Shared,
    host: &Host,
    mut parts: Parts,
    body: Body,
) -> Result<Request, Refusal> {
    if parts.headers.contains_key(ORIGIN)
        && the_only(&parts.headers, &ORIGIN) != Some(host.origin.as_str())
    {
        return Err(ELSEWHERE);
    }
    same_site(&parts.headers)?;
    let bearer = v1::admit(shared, &parts).await?;
    parts.extensions.insert(bearer);
    let body = match parts.method {
        Method::POST if v1::takes_a_body(parts.uri.path()) => {
            read(&parts.headers, body, &JSON).await?
        }
        _ => Body::empty(),
    };
    Ok(Request::from_parts(parts, body))
}

const ELSEWHERE: Refusal = Refusal::new(
    StatusCode::FORBIDDEN,
    "only Postern's own page may do this; open it by the link that Postern printed",
);

/// A browser says where a request comes from, and a page cannot change what it says. Another
/// port of this machine is the same site to it, and still not us.
fn same_site(headers: &HeaderMap) -> Result<(), Refusal> {
    let from = HeaderName::from_static("sec-fetch-site");
    match headers.get(&from).map(HeaderValue::as_bytes) {
        None | Some(b"same-origin" | b"none") => Ok(()),
        Some(_) => Err(ELSEWHERE),
    }
}

/// What is read of a body.
struct Reads {
    kind: &'static str,
    most: usize,
    time: Duration,
    too_large: &'static str,
    other_kind: &'static str,
}

const JSON: Reads = Reads {
    kind: "application/json",
    most: BODY_LIMIT,
    time: BODY_TIME,
    too_large: "that is more than 64 KiB; send it in parts",
    other_kind: "post it as application/json",
};

const UPLOAD: Reads = Reads {
    kind: "application/octet-stream",
    most: UPLOAD_LIMIT,
    time: UPLOAD_TIME,
    too_large: "that file is larger than 20 MB, the most that is taken",
    other_kind: "post it as application/octet-stream",
};

/// How many uploads are read at once.
static UPLOADS: Semaphore = Semaphore::const_new(4);

async fn read(headers: &HeaderMap, body: Body, reads: &Reads) -> Result<Body, Refusal> {
    let too_large = Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, reads.too_large);
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok())
        .and_then(|length| length.parse::<usize>().ok());
    if announced.is_some_and(|length| length > reads.most) {
        return Err(too_large);
    }
    if the_only(headers, &CONTENT_TYPE) != Some(reads.kind) {
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            reads.other_kind,
        ));
    }
    match tokio::time::timeout(reads.time, to_bytes(body, reads.most)).await {
        Ok(Ok(bytes)) => Ok(Body::from(bytes)),
        Ok(Err(_)) => Err(too_large),
        Err(_) => Err(Refusal::new(
            StatusCode::REQUEST_TIMEOUT,
            "the request took too long to arrive; send it again",
        )),
    }
}

/// The value of a header that is there exactly once.
fn the_only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        (_, _) => None,
    }
}
