"""What `groupsim advise` recommends after an incident, played on a real Kafka.

- `asked`: the incidents, recorded before, and the settings that are varied
- `recommended`: what the advice on an incident's logs recommends, best first, with what it expects of each
- `played`: the recommendations and the settings of the record, on a real Kafka, and what they cost there
- `page`: docs/recommendations.md
- `__main__`: `advise`, `record`, `again` and `page`
"""
