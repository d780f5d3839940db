"""The shell: time, network, clients; and whole runs against the spec's reference timelines."""
