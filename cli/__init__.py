"""The command line: one program, `groupsim`; data to stdout, everything else to stderr."""
