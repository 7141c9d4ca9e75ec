//! Tells the program how it was compiled, as far as cargo says so: two programs can then be asked whether their
//! sources alone differ.

use std::{env, process::Command};

fn main() {
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    let of = |name: &str| env::var(name).unwrap_or_default();
    let compiler = Command::new(of("RUSTC")).arg("--version").output();
    let compiler = compiler.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    for (name, value) in [
        ("COMPILER", compiler.unwrap_or_default()),
        ("TARGET", of("TARGET")),
        ("OPT_LEVEL", of("OPT_LEVEL")),
        ("DEBUG", of("DEBUG")),
        ("FLAGS", of("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ")),
    ] {
        println!("cargo::rustc-env=BUILD_{name}={value}");
    }
}
