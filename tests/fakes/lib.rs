//! fakes
