"""The record that a cluster keeps of its groups: readers, facts, and what real recordings say of them."""
