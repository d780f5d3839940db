"""Recorded runs of real consumers, and their re-enactment in the simulator.

Re-enacting:
- `recorded_steps`: the steps of a recording that show how fast its host was
- `recorded_arrivals`: when members of a recording reach their broker
- `recording`, `validation`: what a re-enactment needs of a recording, and whether it is possible
- `reenact`: a recording played in the simulator, in the form of a recording
- `harness`: does to simulated members what was done to real ones
- `observer`, `progress`, `simulated_broker_log`, `simulated_client_log`: facts as rows of a recording

The form of a recording:
- `recorded_form`: rows, names of processes and partitions
- `libraries`: what the client libraries of recordings differ in
- `ownership`, `intervals`, `summary`: owners, unavailability and totals from the rows

Comparing:
- `equivalence`: what two runs must share
- `deviation`: one recording and its re-enactments (`groupsim conformance check`)
"""
