"""What records a real Kafka, and what writes the pages of the documentation. It is not installed.

- `real`: records what a real Kafka does and writes docs/conformance.md (`make conformance`)
- `recorded_runs`: recorded runs beside their re-enactments, run by run
- `table`: recorded and re-enacted runs as a table
- `offsets_topic`: `groupsim record` against a real broker
- `markdown`: tables of pages
- `broker/`: a real Kafka broker: fetched, started, asked
- `scripts/`: scripts of requests, drawn and played against a broker; a folder for each group protocol
- `timelines/`: runs of real consumers
- `streams/`, `connect/`: real Kafka Streams applications, real Kafka Connect workers
- `delays/`: how long records waited in recorded runs, beside what their logs say
- `families/`: families of stories that differ in one choice, recorded to score what-ifs
- `recommendations/`: what an advice recommends, played on a real Kafka
- `defects/`: known defects, played with the version that has them and the one that has not
- `assignors/`: Kafka's Java assignors and ours on random problems
- `page/`: pages of the documentation
"""
