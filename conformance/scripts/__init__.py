"""Scripts of requests, played against the simulated coordinator and compared with a real broker's answers.

- `script`: the form of a script, and files of scripts
- `configs`: the broker configurations that scripts name, and the group protocol of each
- `labels`: member ids and their labels
- `play`: play a script against the simulated coordinator
- `check`: scripts of any protocol played and compared: equal or the first difference, and shares
- `classic/`: the scripts of the classic protocol; another protocol has a folder of its own beside it
"""
