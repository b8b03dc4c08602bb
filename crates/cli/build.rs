//! How the program is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    let linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    // At an address of its own choosing, a tenth of what a host waits for at every event is the mending of 50,000 pointers.
    // Libraries, heap and stack stay where nobody can tell.
    if linux && is("CARGO_CFG_TARGET_ARCH", "x86_64") && is("PROFILE", "release") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
