//! An allocator of somebody else, passed as if it were a provider.

fn profile<A: allometer_provider::Provider>() {}

fn main() {
    profile::<std::alloc::System>();
}
