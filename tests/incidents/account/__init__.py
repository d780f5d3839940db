"""The account of what logs prove, held against the truth of simulated groups."""
