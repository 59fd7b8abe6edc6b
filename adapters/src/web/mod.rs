//! The built-in web chat.
