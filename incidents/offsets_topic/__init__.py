"""`__consumer_offsets` as a source of incidents: the record that a cluster keeps of its groups, as facts."""
