//! Through which door may a platform send us something? Doors are data: whoever serves them checks
//! every request against its door before the adapter sees anything of it.

use std::time::Duration;

use bot_policy::secret::Secret;
use url::Url;

/// A path on which one platform reaches one line, by one method.
#[derive(Clone, Debug)]
pub struct Door {
    /// The whole path, beginning with a slash. Only one line has it, with a door for each method.
    pub path: String,
    /// The method that it lets in.
    pub method: DoorMethod,
    /// The largest body that is read, in bytes.
    pub cap: usize,
    /// What must be shown at it.
    pub check: Check,
}

/// How a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoorMethod {
    /// Something is asked for.
    Get,
    /// Something is handed in.
    Post,
}

/// What proves that a request comes from the platform. A header is named in lower case and must be
/// there exactly once.
#[derive(Clone, Debug)]
pub enum Check {
    /// The header is a signature by this key (RFC 8032), in hexadecimal digits.
    Ed25519 {
        /// Where it stands.
        header: &'static str,
        /// The platform's public key.
        key: [u8; 32],
        /// What is signed.
        over: Signed,
    },
    /// The header is `prefix` and an HMAC-SHA256 by one of these keys, in lower-case hexadecimal
    /// digits. Several keys are right while one takes the place of another; none or an empty one
    /// lets nothing in.
    HmacSha256 {
        /// Where it stands.
        header: &'static str,
        /// The keys.
        keys: Vec<Secret<String>>,
        /// What stands before the digits.
        prefix: &'static str,
        /// What is signed.
        over: Signed,
    },
    /// A parameter behind the question mark is this secret, and stands there exactly once: the
    /// handshake of platforms that ask whether the address is ours. Else the answer is 403. An
    /// empty secret lets nothing in.
    Query {
        /// The parameter.
        name: &'static str,
        /// What it must be.
        secret: Secret<String>,
    },
    /// The header is this secret. It is compared before anything of the body is read; an empty one
    /// lets nothing in.
    Secret {
        /// Where it stands.
        header: &'static str,
        /// What it must be.
        secret: Secret<String>,
    },
}

/// What a signature covers: the raw body, perhaps with a time before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signed {
    /// The body alone.
    Body,
    /// `before`, the value of the header `time`, `after`, and the body.
    Timed {
        /// The header that holds the time, in seconds since 1970; it must be there exactly once.
        time: &'static str,
        /// What stands before the time.
        before: &'static str,
        /// What stands between the time and the body.
        after: &'static str,
        /// How far the time may be from ours, to both sides.
        within: Duration,
    },
}

/// A request that its door let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// The path, as the door names it.
    pub path: String,
    /// By which of the path's doors it came in.
    pub method: DoorMethod,
    /// What stood after the question mark.
    pub query: Option<String>,
    /// The body, byte for byte, at most the door's cap.
    pub body: Vec<u8>,
}

/// What the platform is answered, with status 200.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DoorAnswer {
    /// The media type of the body; none when it is empty.
    pub kind: Option<&'static str>,
    /// The body.
    pub body: String,
}

/// What a line finds in the house that it is set up in.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    /// How platforms reach us; none where we only ask them.
    pub webhooks: Option<Webhooks>,
}

/// How platforms reach us.
#[derive(Clone, Debug)]
pub struct Webhooks {
    /// The address under which the doors are known outside, without a path of its own.
    pub public: Url,
    /// A secret of this line's own: 64 hexadecimal digits, the same at every start.
    pub secret: Secret<String>,
}
