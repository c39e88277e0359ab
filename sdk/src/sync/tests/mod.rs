//! Tests of syncs, by example and over random histories.
