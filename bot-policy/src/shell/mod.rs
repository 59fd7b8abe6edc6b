//! What would a command line do?
