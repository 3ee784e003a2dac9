//! Workloads for the benchmarks.
