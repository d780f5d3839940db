"""Which partition was available when, and why not.

labels          every label and sub-label, the interval that carries one, what counts as available
rules           the ordered table that chooses a label; the only place where one is chosen
situation       one partition at one instant, as the rules ask about it; the shape of a rule
coverage_rules  what a simulated and a recorded log say for certain, and what is concluded where it is silent
current_group   one group as it is now: coordinator, processes, network
view            the facts of a group, folded; which partitions may have another label after each
conditions      partitions in equal condition, decided together
causes          what the group met last, in a word or a short chain
intervals       every partition's time, label by label, as columns
totals          the same in sums, without an interval
start_up        when a group first worked: what came before is in no total
outages         how long something was unavailable, however many partitions, and one partition at the longest
open_time       the time that the logs leave open, cut out of the intervals
without_holder  which partitions no process held: the measure of what-ifs
"""
