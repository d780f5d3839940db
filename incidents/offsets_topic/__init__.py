"""`__consumer_offsets` as a source of incidents: the record that a cluster keeps of its groups.

From files to records:

- `reader`: which files hold the topic, and the records of all of them
- `record`: one record, whatever it was read from; `kinds`: the types of records
- `partitions`, `segments`, `batches`, `entries`, `codecs`: segment files: copies of partitions, transactions, checksums
- `decode`, `field_readers`, `schemas`: keys and values into fields
- `dump`, `old_text`: what `kafka-dump-log` prints
- `formatters`, `times`: what the console consumer prints
- `live`, `recording`: the topic while it is written

From records to what they say of a group:

- `reading`: files to each group's history, and to rows
- `collected`: the records of the groups wanted, in order
- `history`, `ledger`: one group's records; `classic`, `consumer`: those of each protocol; `fields`: typed values
- `unsettled`: time in which a holder may not have served
"""
