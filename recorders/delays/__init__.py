"""How long records waited in real groups, beside what availability from their logs says."""
