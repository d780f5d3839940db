from groupsim.cli.summary import amount as amount
