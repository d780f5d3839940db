"""Scripts of requests, played against the simulated coordinator and against a real broker.

- `script`: the form of a script; files of scripts
- `configs`: the broker configurations that scripts name, and the group protocol of each
- `play`: play a script against the simulated coordinator
- `compare`: simulated and recorded answers: equal, or the first difference
- `check`: scripts of any protocol played and compared: shares, and the first difference
- `play_on_broker`: play a script against a real broker
- `record`: play scripts against a real broker until two plays agree
- `record_failovers`: the same with a coordinator that moves between three brokers
- `classic/`: the scripts of the classic protocol; another protocol has a folder of its own beside it
"""
