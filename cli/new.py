"""`groupsim new`: a commented scenario file as a starting point."""

from __future__ import annotations

import keyword
from pathlib import Path
from typing import Annotated

import typer

from groupsim.cli.errors import BadRequest
from groupsim.cli.output import note, plain

TEMPLATE = '''\
"""{title}: a scenario for groupsim. Run it with `groupsim run {file}`."""

from groupsim.scenarios.dsl import minutes, scenario, seconds


# The parameters after `world` can be set on the command line: groupsim run {file} --set members=5
# Every Kafka setting can be set by its name, too:             groupsim run {file} --set session.timeout.ms=10000
@scenario(seed=1, lasts=minutes(5))
def {name}(world, members=3, partitions=12, assignor="cooperative-sticky"):
    """Members are restarted one after another; then one is killed and does not return."""
    orders = world.topic("orders", partitions=partitions, rate=10.0)  # records per second and partition
    group = world.group("billing", assignor=assignor)
    team = group.join(members, topics=[orders], spread=seconds(2))
    yield group.stable(members=members)

    for member in team:  # a rolling restart with two seconds of downtime each
        yield member.restart(downtime=seconds(2))
        yield group.stable(members=members, within=seconds(60))

    team[0].kill()  # no LeaveGroup: the coordinator notices when the session times out
    yield group.stable(members=members - 1, within=minutes(2))

    # An assertion: the run fails if it is false.
    world.check(len(group.owners(orders)) == members - 1, "the remaining members own all partitions")

    # There is more: member.freeze(ms), member.slow_batch(ms), member.close(), member.start();
    # with world.network.cut(member, world.broker): ...; world.broker.crash(downtime_ms);
    # world.add_partitions(orders, 96), to 96 in all. docs/how-to/own-scenario.md lists all words, and
    # `groupsim scenarios` shows examples.
'''


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A Python name, or a path such as my/deploy.")],
) -> None:
    """Write a commented scenario file as a starting point.

    Example: groupsim new deploy
    """
    path = Path(name if name.endswith(".py") else f"{name}.py")
    function = path.stem
    if not function.isidentifier() or keyword.iskeyword(function):
        raise BadRequest(
            f"{function!r} can't be the name of a scenario: use letters, digits and _, and don't begin with a digit"
        )
    text = TEMPLATE.format(title=function.replace("_", " ").capitalize(), file=path, name=function)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise BadRequest(f"{path} already exists and was not changed; choose another name") from None
    except OSError as error:
        raise BadRequest(f"{path} can't be written: {error.strerror}") from None
    print(plain(path))
    note(f"run it with: groupsim run {path}")
