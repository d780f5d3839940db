"""One account of what logs prove: who ran, who was a member, who held and was entitled to what, since when, says who.

A log says what happened at some instants, and nothing of the time between them. All that an incident's analysis wants
to know is about the time between them. Three sentences say how the one follows from the other, and this package is
nothing but these sentences written down.

1. *A property keeps its value until an event changes it.* If a later line contradicts the value, and no line between
explains that, an event is hidden between the last line that supports the old value and the first that contradicts it.
A silent death, a freeze, a removal, an assignment that was stored, a callback that returned, a log that begins late:
each is such an event. `evidence` is the table of what a line says, `hidden` the table of contradictions.

2. *All evidence about one hidden event narrows the same span.* The last line, the removal minus a session, the next
start, somebody else's claim: each leaves the event a span, and the spans are intersected (`when.When.meet`). An instant
is therefore always a span, `When`, of which a line with an exact clock is the special case. A line without a time has
a `When` that is open on both sides: then only the order of the lines is known, and nothing is sure at any instant.

3. *A partition is surely available while one process surely runs, surely holds it and is surely entitled to it; it is
possibly available while one possibly does.* The time in which it is not possibly available is the lower bound of its
unavailable time, the time in which it is not surely available the upper one. There is no list of doubts.

So each property of each process is a `Track`: steps in the order in which they happened, each at a `When`, and covers
of spans that others prove or leave open. A track answers two questions, when something was *surely* so and when it was
*possibly* so; where nobody knows, the value is OPEN, which is neither. Each step and cover has its `Why`: a rule, which
is a row of a table with its source in Kafka and the log that would tell more, and the lines it rests on.

A process's log is read once, into an `Incarnation`. Whatever asks "was it a member, what did it hold" asks that;
nothing else interprets its rows. `group.Account` joins the incarnations with what a broker's log, the topic and
leaders' plans say: when assignments were stored (`stored`), what they gave a process (`entitled`), who was a member
(`members`), which rebalances there were (`rebalances`), and where members without a log may have served (`others`).
`says` is the table of what each source always prints: only there silence means "as before".

`accounts.accounts_of` makes the accounts of a reading. It never refuses: a broker alone, one client alone, a log that
begins in the middle or has no times gives an account with more of it open.

Callbacks of which no line shows the end, and the time until an application knows where to start reading, count as
available: no log of Kafka's own tells when they are over (`Incarnation.callback` has where a callback may have run).
`unavailable`, which narrows the bounds of an import's total, adds them as far as lines show them.

The modules:

- `when`, `track`, `spans`: When; Track; stretches of time, joined and subtracted; `times`: what a printed time proves
- `rules`: Rule and Why, and what to export to know better
- `evidence`, `says`, `hidden`: the tables: what a line says, what a source always prints, what contradicts what
- `incarnation`: what the log of one process proves
- `rebalances`, `stored`, `entitled`: which rebalances there were, which assignments were stored, what each gave
- `members`: who was a member, or possibly one, with a log or without; `others`: where one without a log may have served
- `group`: Account: one group, from all of these; `accounts`: those of all groups of a reading; `alike`: one partition
  of all that the same lines name
- `unavailable`: how many partitions were unavailable when, at least and at most
"""
