//! What the gateway promises.

mod http;
mod http_desk;
mod http_wire;
