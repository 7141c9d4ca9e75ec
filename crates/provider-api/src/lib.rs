//! What the Allometer heap profiler asks of an allocator.
//!
//! A *provider* is an allocator that the sampler can wrap: a [`GlobalAlloc`](core::alloc::GlobalAlloc)
//! with a name and, where it has them, usable sizes, sizes of blocks, statistics and a way to give free memory back.
//! [`Provider`] is that contract, [`Custom`] makes a provider of any other allocator.
//!
//! | module | owns |
//! |---|---|
//! | `provider` | the sealed [`Provider`] trait and [`ConstProvider`] |
//! | `custom` | [`Custom`], the way in for everybody else's allocator |
//! | `provider_stats` | [`ProviderStats`], what an allocator knows about itself |
//!
//! This crate has no dependencies and holds no allocator.

#![no_std]

mod custom;
mod provider;
mod provider_stats;

pub use custom::Custom;
pub use provider::{ConstProvider, Provider};
pub use provider_stats::ProviderStats;

#[doc(hidden)]
pub use provider::sealed;
