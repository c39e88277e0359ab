//! IP addresses that only this machine or its network can reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns whether an IP address is one that only this machine or its network can reach.
pub(crate) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    // 0/8 is this network, 100.64/10 that of a provider, 192.0.0/24 and 198.18/15 are for special purposes, 240/4 is reserved.
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || matches!((first, second), (0 | 240.., _) | (100, 64..=127) | (198, 18 | 19))
        || address.octets().starts_with(&[192, 0, 0])
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    // IPv4 inside IPv6: mapped, and through NAT64.
    let inner = match address.segments() {
        [0, 0, 0, 0, 0, 0xffff | 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
        }
        _ => None,
    };
    address.is_loopback()
        || address.is_unspecified()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        || address.is_multicast()
        || inner.is_some_and(is_private_v4)
}
