"""Exports of log platforms, made into the plain logs that they were made of: one log a stream, oldest first.

streams        the files given -> logs to read; the entrance of this package
stream_names   short names of streams, made of their labels
records_by_stream  one file's records, by the stream that they belong to
document       which kind of document a file is (JSON, CSV, XML, journal export, text), and its raw records
find_records   the list of records in a JSON value, however deep; tables by rows or columns; key-value lists
json_lines     the records of a file with a JSON document on each line
large_json     the same for JSON of any size, in bounded memory
journal        the entries of a journal export
yaml_entries   entries in YAML, as gcloud prints them
relevant       of a large file, the records near those that may concern groups
empty_documents  what a file without records holds instead: an error, no results, a ZIP archive
nested_fields  what a record's fields hold inside: JSON in texts, times in two fields
evidence       which field is the log line, which the time, which names the stream
sequence       which field numbers the records of a stream
moments        a platform's time, with its resolution
line_prefixes  what tools put before each line of a text: pods, times, labels
order          a stream's records, oldest first, each once
time_resolution  which resolution a stream's times have, if it is above a millisecond
placed_in_ticks  records of such times, inside their tick; lines of plain logs are placed by `facts.coarse_times`
plain_log      a stream's records written as a plain log
"""
