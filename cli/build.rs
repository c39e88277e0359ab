//! Link options of the program.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let is_native = std::env::var("HOST").ok() == std::env::var("TARGET").ok();
    if is_native
        && target("OS") == "linux"
        && target("ENV") == "gnu"
        && glibc_reads_packed_relocations()
    {
        // The loader applies tens of thousands of relative relocations at each start; packed, they take a hundredth of the space and half
        // the time. The program then needs this glibc or a newer one; build it on the oldest system that it is to run on.
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Tells whether the C library of this machine is glibc 2.36 or newer.
fn glibc_reads_packed_relocations() -> bool {
    let Ok(output) = Command::new("getconf").arg("GNU_LIBC_VERSION").output() else { return false };
    let text = String::from_utf8_lossy(&output.stdout);
    let Some((major, minor)) = text.trim().trim_start_matches("glibc ").split_once('.') else {
        return false;
    };
    let number = |part: &str| part.parse::<u32>().ok();
    number(major).zip(number(minor)).is_some_and(|version| version >= (2, 36))
}
