//! gateway

pub mod http;
