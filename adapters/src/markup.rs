//! markup
