from groupsim.cli.whatif_output import rows_of as rows_of
