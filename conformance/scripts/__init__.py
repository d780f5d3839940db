"""Request scripts, played against the simulator and a real broker."""
