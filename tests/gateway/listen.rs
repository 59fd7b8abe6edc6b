//! The web chat finds a port.

use std::net::SocketAddr;

use gateway::config::Listen;
use gateway::listen::bind;

#[tokio::test]
async fn a_usual_port_that_is_taken_gives_way_to_the_next_free_one() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let usual = taken.local_addr().unwrap();
    let bound = bind(Listen::From(usual)).await.unwrap();
    assert_eq!(bound.taken, Some(usual));
    assert!(bound.at.port() > usual.port() && bound.at.port() <= usual.port() + 20);
    assert_eq!(bound.listener.local_addr().unwrap(), bound.at);
}

#[tokio::test]
async fn a_usual_port_that_is_free_is_used() {
    let usual = free();
    let bound = bind(Listen::From(usual)).await.unwrap();
    assert_eq!((bound.at, bound.taken), (usual, None));
}

#[tokio::test]
async fn a_configured_port_that_is_taken_is_an_error_that_says_what_to_do() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = taken.local_addr().unwrap();
    assert_eq!(
        bind(Listen::Configured(at)).await.unwrap_err().to_string(),
        format!(
            "{at} is taken by another program; stop that program, or set web.listen in postern.toml to another port"
        )
    );
}

#[tokio::test]
async fn an_address_that_is_not_this_machines_is_an_error_that_says_what_to_do() {
    let at: SocketAddr = "192.0.2.1:8787".parse().unwrap();
    assert_eq!(
        bind(Listen::Configured(at)).await.unwrap_err().to_string(),
        "cannot listen on 192.0.2.1:8787: Cannot assign requested address (os error 99); set web.listen in postern.toml to an address of this machine and a port over 1023"
    );
}

#[tokio::test]
async fn when_all_twenty_are_taken_the_range_is_named() {
    let last: SocketAddr = "127.0.0.1:65535".parse().unwrap();
    let held = std::net::TcpListener::bind(last);
    let said = bind(Listen::From(last)).await.unwrap_err().to_string();
    drop(held);
    assert_eq!(
        said,
        "every port from 65535 to 65535 is taken; stop what listens there, or set web.listen in postern.toml to a free one"
    );
}

fn free() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}
