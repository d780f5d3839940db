"""What `groupsim advise` recommends after an incident, played on a real Kafka.

- `recommended`: the incidents, recorded before, and what the advice on their logs recommends and expects
- `played`: the recommendations and the settings of the record, on a real Kafka, and what they cost there
- `page`: docs/recommendations.md
- `__main__`: `advise`, `record`, `again` and `page`
"""
