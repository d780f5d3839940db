"""Which choice is best, how sure that is, and with how few runs it can be said.

ocba        a budget of runs divided among choices, so that the best is found most likely (OCBA)
evidence    what runs under common seeds say: which choice is best, how likely, by how much
selection   sample until it is sure enough which choice is best, within an indifference zone
choices     the combinations of some values; which of them no other beats; what each setting explains
large_search  a search among many choices, or a continuum, that leaves a few
unknown     what nobody knows of the world: ranges, drawn by the seed
sampling    runs of a scenario
search      an advice on a scenario
replays     replays of a recorded incident in processes side by side
incident    an advice on a recorded incident
time_shifting  leaves out choices that only move time
advising    what both have in common
pareto      the same for several measures to make small together
advice      what a search has found
refused     the choices without figures, and why
flips       where along what is unknown another choice is better
current_settings  what is set now: which choices change least of it, and which gains are worth a change
trust       how far an advice on an incident can be trusted, as of a what-if
example     settings to ask about, where none are named
sentences   all that an advice says, in words
as_data     the same as data
chart       a flip as characters
stored      an advice as it is kept with its run
errors      what cannot be advised
"""
