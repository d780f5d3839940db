"""How numbers, times, names and lists are written for people. Imports nothing else of this project.

numbers    seconds and partition-seconds, counts with their noun, percentages, ranges `x to y`
bounds     what is said of a total that is known in bounds only: `at least … and at most …`, `about`, `at most`
times      durations and instants
start_up   start-up beside a total that does not count it
seeds      what is said where several seeds give one value
lists      several names, or several parts of a sentence, as one text; capitals and full stops
first_sentence  what is a word and a figure in the first sentence of an answer, and how many it may have
names      names that come from outside: control characters as escapes, long ones cut in the middle
"""
