//! On which port is the web chat?

use std::net::SocketAddr;

use tokio::net::TcpListener;

use crate::config::Listen;

/// How many ports after the usual one are tried.
const TRIES: u16 = 20;

/// The web chat's listener.
#[derive(Debug)]
pub struct Bound {
    /// The listener.
    pub listener: TcpListener,
    /// Where it listens.
    pub at: SocketAddr,
    /// The usual address, when that was taken by another program.
    pub taken: Option<SocketAddr>,
}

/// The web chat has nowhere to listen. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The usual port and those after it are taken.
    #[error(
        "every port from {first} to {last} is taken; stop what listens there, or set web.listen in postern.toml to a free one"
    )]
    AllTaken {
        /// The first tried.
        first: u16,
        /// The last tried.
        last: u16,
    },
    /// The configured address is taken.
    #[error(
        "{0} is taken by another program; stop that program, or set web.listen in postern.toml to another port"
    )]
    Taken(SocketAddr),
    /// The system refused for another reason.
    #[error(
        "cannot listen on {at}: {why}; set web.listen in postern.toml to an address of this machine and a port over 1023"
    )]
    Refused {
        /// The address.
        at: SocketAddr,
        /// What the system said.
        why: std::io::Error,
    },
}

/// Listens. Only the usual address gives way to the next free port; a configured one is meant.
///
/// # Errors
/// When nothing could be bound.
pub async fn bind(listen: Listen) -> Result<Bound, BindError> {
    match listen {
        Listen::Configured(at) => match TcpListener::bind(at).await {
            Ok(listener) => bound(listener, at, None),
            Err(why) if taken(&why) => Err(BindError::Taken(at)),
            Err(why) => Err(BindError::Refused { at, why }),
        },
        Listen::From(usual) => {
            let last = usual.port().saturating_add(TRIES);
            for port in usual.port()..=last {
                let at = SocketAddr::new(usual.ip(), port);
                match TcpListener::bind(at).await {
                    Ok(listener) => return bound(listener, at, (at != usual).then_some(usual)),
                    Err(why) if taken(&why) => {}
                    Err(why) => return Err(BindError::Refused { at, why }),
                }
            }
            Err(BindError::AllTaken {
                first: usual.port(),
                last,
            })
        }
    }
}

fn bound(
    listener: TcpListener,
    asked: SocketAddr,
    taken: Option<SocketAddr>,
) -> Result<Bound, BindError> {
    let at = listener
        .local_addr()
        .map_err(|why| BindError::Refused { at: asked, why })?;
    Ok(Bound {
        listener,
        at,
        taken,
    })
}

fn taken(why: &std::io::Error) -> bool {
    why.kind() == std::io::ErrorKind::AddrInUse
}
