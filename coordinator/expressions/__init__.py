"""Topic expressions of the consumer protocol (KIP-848): which topics one names, or why the broker refuses it.

The broker compiles them with RE2/J 1.8 (Go's syntax; no look-around, no back-references) and wants the whole name to
match. The same expressions are refused here for the same reasons, and matching takes time linear in the name.

resolve   topics that an expression names; what the broker answers to an invalid one
syntax    the parser: an expression to a program, with RE2/J's descriptions of errors
classes   sets of characters: escapes, POSIX and Unicode classes, upper and lower case
program   instructions, how parts are put together, and running them on a name
"""
