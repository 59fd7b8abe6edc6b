//! Which addresses are on the open net?

use std::net::IpAddr;

use bot_policy::net::is_open;
use proptest::prelude::*;

fn judged(address: &str) -> bool {
    is_open(address.parse().unwrap())
}

#[test]
fn what_may_be_ours_or_nobodys_is_not_on_the_open_net_in_any_form() {
    for inside in [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "169.254.169.254",
        "168.63.129.16",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::1",
        "2002:a00:1::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ] {
        assert!(!judged(inside), "{inside}");
    }
    for outside in [
        "1.1.1.1",
        "100.63.0.1",
        "100.128.0.1",
        "172.32.0.1",
        "192.0.1.1",
        "198.20.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2001:4860:4860::8888",
        "::ffff:1.1.1.1",
        "64:ff9b::101:101",
        "2002:101:101::1",
    ] {
        assert!(judged(outside), "{outside}");
    }
}

proptest! {
    #[test]
    fn an_ipv4_address_is_judged_alike_in_every_form(address: [u8; 4]) {
        let [a, b, c, d] = address;
        let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        let plain = is_open(IpAddr::from(address));
        for form in [
            [0, 0, 0, 0, 0, 0xffff, high, low],
            [0x64, 0xff9b, 0, 0, 0, 0, high, low],
            [0x2002, high, low, 0, 0, 0, 0, 1],
        ] {
            prop_assert_eq!(is_open(IpAddr::from(form)), plain);
        }
    }
}
