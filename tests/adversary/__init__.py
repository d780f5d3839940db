"""The standing adversary: attempts to make the program lose, hang or lie. `python -m tests.adversary --minutes 1`."""
