"""Scripts of requests, played against the simulated coordinator and compared with a real broker's answers.

- `script`: the form of a script, and files of scripts
- `configs`: the brokers that scripts were recorded with: configurations by name, and topics
- `labels`: member ids and their labels
- `play`: play a script against the simulated coordinator
- `check`: scripts of any protocol played and compared: equal or the first difference, and shares
- `classic/`: scripts of the classic protocol alone, whose metadata and assignments are opaque
- `groups/`: scripts of every protocol with topics, records, and what an administrator sees
"""
