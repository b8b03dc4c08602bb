//! The example of the library works as it stands.

#[path = "../../../examples/embed.rs"]
#[expect(unreachable_pub, reason = "its main function is public for this test")]
mod embed;

#[test]
fn the_example_starts_watches_and_cancels_a_loop() {
    embed::main().unwrap();
}
