"""`__consumer_offsets` as a source of incidents: the record that a cluster keeps of its groups.

From files to records:

- `reader`: which files hold the topic, and the records of all of them
- `record`: one record, whatever it was read from
- `partitions`, `segments`, `batches`, `entries`: segment files: copies of partitions, checksums, what is compressed;
  `transactions`: commits that count once their transaction is committed
- `decode`, `schemas`: keys and values into fields
- `dump`: what `kafka-dump-log` prints
- `formatters`: what the console consumer prints
- `live`, `recording`: the topic while it is written
- `census`: which groups there are records of

From records to what they say of a group:

- `reading`: files to each group's history, and to rows
- `collected`: the records of the groups wanted, in order
- `history`, `ledger`: one group's records; `classic`, `consumer`: those of each protocol; `fields`: typed values
- `signs_of_life`: when members certainly ran, and when they may not have served
"""
