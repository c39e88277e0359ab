//! Link options of the program.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let loader_reads_packed = match target("ENV").as_str() {
        "gnu" => env::var("HOST").ok() == env::var("TARGET").ok() && has_glibc(2, 36),
        // A static C library is part of the toolchain: musl 1.2.5 since this version.
        "musl" => target("FEATURE").split(',').any(|it| it == "crt-static") && has_rust(1, 93),
        _ => false,
    };
    if target("OS") == "linux" && loader_reads_packed {
        // The loader applies tens of thousands of relative relocations at each start; packed, they take a hundredth of the space and half
        // the time. With glibc the program then needs this version or a newer one; build it on the oldest system that it is to run on.
        // Compilers pass `-z` on to the linker, and linkers take it themselves.
        println!("cargo::rustc-link-arg-bins=-z");
        println!("cargo::rustc-link-arg-bins=pack-relative-relocs");
    }
}

/// Tells whether the C library of this machine is this version of glibc or a newer one.
fn has_glibc(major: u32, minor: u32) -> bool {
    version_of("getconf", "GNU_LIBC_VERSION", "glibc ").is_some_and(|it| it >= (major, minor))
}

fn has_rust(major: u32, minor: u32) -> bool {
    let rustc = env::var("RUSTC").unwrap_or_default();
    version_of(&rustc, "--version", "rustc ").is_some_and(|it| it >= (major, minor))
}

/// Returns the version that a program prints after a prefix.
fn version_of(program: &str, argument: &str, prefix: &str) -> Option<(u32, u32)> {
    let output = Command::new(program).arg(argument).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().strip_prefix(prefix)?.to_owned();
    let mut numbers = text.split(['.', '-', ' ']).map(|part| part.parse::<u32>().ok());
    numbers.next().flatten().zip(numbers.next().flatten())
}
