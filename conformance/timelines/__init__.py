"""Recorded runs of real consumers, and their re-enactment in the simulator.

Re-enacting:
- `recorded_times`: how fast the host of a recording was, and when its records came
- `recording`: what a re-enactment needs of a recording, and whether it is possible
- `reenact`: a recording played in the simulator, in the form of a recording
- `harness`: does to simulated members what was done to real ones
- `observer`, `progress`, `simulated_logs`: facts as rows of a recording

The form of a recording:
- `recorded_form`: rows, processes and their libraries, partitions
- `ownership`, `intervals`: owners, unavailability and totals from the rows

Comparing:
- `equivalence`: what two runs must share
- `deviation`: one recording and its re-enactments (`groupsim conformance check`)
"""
