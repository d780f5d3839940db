"""The command line: one program, `groupsim`. Data goes to stdout, everything else to stderr.

entry             loads the program; a signal meanwhile ends it in one sentence
main              the program: commands, errors as sentences, near commands, exit status
run               `run`
read              `unavailable`, `timeline`, `rebalances`
replay            `replay`, and its --verify
commands          the commands by what people want to do, each loaded when it is called
blame, check, compare, explain, report, plot, fuzz, scenarios, new, doctor, tour    one command each
lag               `lag`
delays            `lag --delays`
record            `record`
runs              `runs`, `show`, `export`
verify            `verify`
load              `load`
sweep             `sweep`, `sweep-report`
assign            `assign`, `assignors`
incident          `import`
incident_read     `read`
advise            `advise`
advise_incident   the same about a run
advise_spread     where the runs of an advice happen
whatif            `whatif`
whatif_output     what it prints
log_options       the arguments and options of the commands that read logs
conformance       `conformance play`, `reenact`, `check`
predict           `conformance predict`
options           arguments and options that several commands share, and their parsing
existing_store    the store of a command that only reads
importing_store   the store of one that imports
output            printing: tables, JSON, CSV, notes, errors
table_layout      fits a table to the terminal
progress          progress bars
summary           the numbers of a run, as JSON and as lines for people
run_times         times of a run as users write and read them: --between, UTC times beside milliseconds
completion        what the Tab key offers
missing_arguments  what is said of an argument that is missing
errors            BadRequest
signals           Ctrl-C and SIGTERM
"""
