"""From log files to rows.

- `given_files`: the files that a user names: pipes are copied, names are text
- `scan`: the lines of a file that could concern a group, in blocks of bytes (plain, gzip, UTF-16)
- `scanned_words`: the words by which it finds them
- `multiline`: records that a layout cut into several lines
- `boxed_tables`: tables with a frame, as Faust prints them
- `formats`: what a layout puts around a message: time, level, thread, logger, prefixes. A new layout goes here
- `escaped_text`: text without what a terminal would obey
- `structured`: JSON, key=value and CSV records
- `word_wrapped`: records whose lines a mail or a terminal broke at spaces
- `times`: timestamps of any shape to UTC milliseconds
- `missing_days`: the day of times that name none
- `local_times`: times without a zone, when clocks go back; `two_clocks`: how far they are ahead of a log's times in UTC
- `recognition`: which program wrote a record, and what it says
- `producers`: the wordings of each program
- `partition_lists`: lists of partitions in the shapes of all clients
- `protocol_order`: the order that the protocol gives to lines of one time
- `client_libraries`: what a client id says of its library, and what that lacks
- `patterns`: Wording, what a producer's module is made of
- `kafka_errors`: Kafka's errors, and how each is worded
- `rows`: Row and Reading, what comes out; `row_kinds`: what a row can say
- `thrown`: the exception below a line that says that something failed
- `repeated`: rows that repeat what another line says
- `only_group`: the group of rows that name none
- `reader`: one file to rows
- `duplicate_logs`: logs that are given twice, by their names or as copies
- `unknown_wordings`: lines about groups that no wording fits, by how they are worded; `unknown_errors`: Kafka's errors
  that none knows
- `groups_there`: which groups files name
- `reading`: several files to one Reading, by group and period
"""
