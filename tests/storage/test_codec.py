"""The codec: equal facts are equal bytes, old shapes are lifted, anything else is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from groupsim.events import catalogue
from groupsim.events.base import Event
from groupsim.events.client import ProcessStarted
from groupsim.storage import codec, upcasts
from groupsim.storage.codec import Digest, Row, decode, digest_of, encode, recorded
from groupsim.storage.errors import UnknownFact

FINGERPRINT = Path(__file__).with_name("fingerprint.txt")


def test_the_shapes_of_facts_are_the_ones_that_stores_hold() -> None:
    assert catalogue.fingerprint() == FINGERPRINT.read_text().strip(), (
        "A fact type was added or changed, and existing stores have the old schema. Raise `schema` of each type whose "
        "fields changed, and add a function for the old schema to storage.upcasts (a new field with a default needs "
        "neither). If a version with the old schema was released, raise storage.schema.SCHEMA_VERSION and add a step "
        f"to MIGRATIONS. Then write {catalogue.fingerprint()} into {FINGERPRINT.name}."
    )


def test_equal_facts_are_equal_text_whatever_the_order_of_their_keys() -> None:
    one = ProcessStarted(process="p", client_id="c", config={"b": 1, "a": True})
    two = ProcessStarted(process="p", client_id="c", config={"a": True, "b": 1})
    assert encode(one) == encode(two)
    assert encode(one)[2] == '{"type":"ProcessStarted","process":"p","client_id":"c","config":{"a":true,"b":1}}'


@pytest.mark.parametrize(
    ("kind", "schema", "body", "sentence"),
    [
        ("Levitated", 1, '{"type":"Levitated"}', "unknown fact type 'Levitated' at run r, seq 4"),
        ("GroupCreated", 2, '{"type":"GroupCreated"}', "GroupCreated at run r, seq 4 has schema 2, newer than 1"),
        (
            "GroupCreated",
            0,
            '{"type":"GroupCreated"}',
            "GroupCreated at run r, seq 4 can't be read: there is no step from schema 0 to 1",
        ),
        ("MemberSynced", 1, '{"type":"MemberSynced","member":3}', "MemberSynced at run r, seq 4 can't be read"),
        ("MemberSynced", 1, '{"type":"MemberSynced"}', "missing required field `member`"),
        ("MemberSynced", 1, '{"type":"GroupCreated"}', "Invalid value 'GroupCreated'"),
        ("MemberSynced", 1, '{"type":"Member', "can't be read: Input data was truncated"),
        ("JoinDelayExtended", 1, '{"delay_ms":1.5,"remaining_ms":0}', "Expected `int`, got `float`"),
    ],
)
def test_what_can_not_be_read_is_named_with_its_place(kind: str, schema: int, body: str, sentence: str) -> None:
    with pytest.raises(UnknownFact, match=sentence) as caught:
        recorded("r", (4, 0, "s", 0, kind, schema, body, None))
    assert "seq 4" in str(caught.value)


class Stretched(Event, frozen=True):
    """A made-up fact in its third shape: `length_m`, then `length_cm`, now `length_mm` with a unit of its own."""

    schema: ClassVar[int] = 3
    length_mm: int


def test_an_old_fact_is_lifted_step_by_step_to_todays_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue.CATALOGUE, "Stretched", Stretched)
    monkeypatch.setitem(codec._DECODERS, "Stretched", msgspec.json.Decoder(Stretched))
    monkeypatch.setitem(upcasts.UPCASTS, ("Stretched", 1), lambda old: {"length_cm": 100 * old["length_m"]})
    monkeypatch.setitem(upcasts.UPCASTS, ("Stretched", 2), lambda old: {"length_mm": 10 * old["length_cm"]})
    assert decode("Stretched", 1, '{"type":"Stretched","length_m":2}') == Stretched(length_mm=2000)
    assert decode("Stretched", 2, '{"type":"Stretched","length_cm":7}') == Stretched(length_mm=70)
    assert decode("Stretched", 3, '{"type":"Stretched","length_mm":5}') == Stretched(length_mm=5)
    with pytest.raises(UnknownFact, match=r"Stretched .*can't be read"):
        decode("Stretched", 1, '{"type":"Stretched","length_m":"two"}')


def test_every_upcast_leads_to_a_shape_that_is_known() -> None:
    assert all(schema < catalogue.CATALOGUE[kind].schema for kind, schema in upcasts.UPCASTS)


def test_the_digest_is_sha256_over_json_lines() -> None:
    rows: list[Row] = [
        (0, 5, "group:g", 0, "GroupCreated", 1, '{"type":"GroupCreated"}', None),
        (1, 6, "world", 0, "RunEnded", 1, '{"type":"RunEnded","status":"finished"}', "a.log:3"),
    ]
    # Computed once by `sha256sum` over the two lines that storage.codec.Digest describes.
    expected = "e25256a45c3e99ae6fd5cf3722f64a4bc4d6383681e6d986b057406801574b7f"
    assert digest_of(rows) == expected
    digest = Digest()
    digest.add(rows[:1])
    digest.add(rows[1:])
    assert digest.hex() == expected
