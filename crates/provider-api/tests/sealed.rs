//! What the compiler tells someone who implements `Provider` or passes an allocator that is none.

#[test]
fn the_way_out_is_named() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
