"""The simulator compared with a real Kafka: the same inputs, and a list of the differences.

- `real`: records what a real Kafka does and writes the page (`make conformance`)
- `table`: recorded and re-enacted runs as a table
- `markdown`: tables of pages
- `labels`: member ids and their labels in scripts
- `broker/`: a real Kafka broker: fetched, started, asked
- `scripts/`: scripts of requests, played against the simulator and a broker; a folder for each group protocol
- `timelines/`: runs of real consumers, recorded and re-enacted
- `families/`: families of stories that differ in one choice, recorded to score what-ifs
- `predictions/`: what-ifs scored against what really happened
- `assignors/`: Kafka's Java assignors and ours on random problems
- `page/`: pages of the documentation
"""
