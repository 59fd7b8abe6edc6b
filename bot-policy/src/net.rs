//! Is this address on the open net? Everything that could be a machine of the owner's, of their
//! provider's or of nobody's is not.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address belongs to the open net, whatever form it is written in. Loopback, private,
/// link-local, shared (CGNAT), reserved, documentation and multicast ranges do not, nor do the
/// addresses where clouds tell machines their secrets, nor IPv6 forms that carry one of these
/// (mapped, NAT64, 6to4). Ranges by the IANA special-purpose registries.
pub fn is_open(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_open_v4(address),
        IpAddr::V6(address) => is_open_v6(address),
    }
}

fn is_open_v4(address: Ipv4Addr) -> bool {
    match address.octets() {
        [0 | 10 | 127, ..] => false,
        [100, 64..=127, ..] => false,
        [169, 254, ..] => false,
        [172, 16..=31, ..] => false,
        [192, 0, 0 | 2, _] | [192, 88, 99, _] | [192, 168, ..] => false,
        [198, 18 | 19, ..] | [198, 51, 100, _] => false,
        [203, 0, 113, _] => false,
        // Where one cloud answers its machines, outside every private range.
        [168, 63, 129, 16] => false,
        [224..=255, ..] => false,
        [_, _, _, _] => true,
    }
}

fn is_open_v6(address: Ipv6Addr) -> bool {
    let carried = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_open_v4(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        // Mapped, and NAT64 by its well-known prefix.
        [0, 0, 0, 0, 0, 0xffff, high, low] => carried(high, low),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => carried(high, low),
        // 6to4.
        [0x2002, high, low, ..] => carried(high, low),
        // Teredo, benchmarks, identifiers that are no addresses.
        [0x2001, 0..=0x01ff, ..] => false,
        // Documentation.
        [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => false,
        // Only this eighth of IPv6 is given out.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}
