"""The wordings of each program that writes about consumer groups."""
