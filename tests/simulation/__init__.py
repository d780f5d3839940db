"""The shell: time, network, clients; and whole runs against docs/model/timers.md#reference-cases."""
