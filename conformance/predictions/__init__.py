"""What-if predictions scored: logs of a run under one choice against recorded runs under another.

- `measure`: how long partitions had no live owner, of recorded and of simulated runs
- `families`: recordings of one story and one family of settings, by choice; in which order they are asked
- `ask`: predicts the other choices of a family from one run, and says what they are
- `inferred`: what was read from the logs, against what the recording says of itself
- `results`: on what a prediction is based, what is kept of each, and their file
- `scoring`: asks runs in order, until a number of pairs or a time is reached
- `score`: pairs, and the figures over them: signs, errors, ranges
- `noise`: how far real repetitions, and single seeds, are from their own medians
"""
