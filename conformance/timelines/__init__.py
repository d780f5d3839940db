"""Recorded runs of real consumers, and their re-enactment in the simulator.

Recording:
- `scenarios`: what is done to real consumers, and when
- `real_clients`, `rdkafka_member`: a real consumer as a process
- `real_group`: a group of real consumers, led through a scenario
- `real_broker_log`: rows from the lines that a real broker logs
- `real_recording`: what happened in a real group, as a recording
- `recorder`: recordings of all scenarios, libraries and assignors
- `predictions`: predictions of the simulator, tried with real clients

Re-enacting:
- `recorded_steps`: the steps of a recording that show how fast its host was
- `recording`, `validation`: what a re-enactment needs of a recording, and whether it is possible
- `reenact`: a recording played in the simulator, in the form of a recording
- `harness`: does to simulated members what was done to real ones
- `observer`, `progress`, `simulated_broker_log`, `simulated_client_log`: facts as rows of a recording

The form of a recording:
- `recorded_form`: rows, names of processes and partitions
- `ownership`, `intervals`, `summary`: owners, unavailability and totals from the rows

Comparing:
- `equivalence`: what two runs must share
- `deviation`: one recording and its re-enactments (`groupsim conformance check`)
- `comparison`: all recorded timelines and their re-enactments, for the page
- `repetitions`: several recordings of one kind, for the table
"""
