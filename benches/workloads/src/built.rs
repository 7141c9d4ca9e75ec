//! How this program was compiled.

/// Prints it, a line for each thing. Link-time optimisation is not among them: cargo does not tell it.
pub(crate) fn print() {
    println!("compiler {}", env!("BUILD_COMPILER"));
    println!("target {}", env!("BUILD_TARGET"));
    println!("opt-level {}", env!("BUILD_OPT_LEVEL"));
    println!("debug {}", env!("BUILD_DEBUG"));
    println!("flags {}", env!("BUILD_FLAGS"));
}
