"""How good an advice is: problems whose truth is known, and how the procedure does on them.

worlds      small scenarios in which settings matter and chance has a say
problems    two hundred problems, drawn by one seed
truth       a thousand seeds of every choice, simulated once and kept
score       the procedure on what is kept, without a simulation: how often right, how sure it said it was, how many runs
"""
