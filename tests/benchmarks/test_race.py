"""What a race does: checks first, then contenders in turn, then ratios within each round."""

from collections import Counter

import pytest

from benchmarks.race import CONTROL, Race, Sampler, WrongAnswer, in_order, run, run_all, summary


def nothing() -> None:
    """A check that has nothing to say."""


def race(entries: dict[str, Sampler], check: object = nothing, **options: object) -> Race:
    return Race("group", "name", "work", entries, check, 6, **options)  # type: ignore[arg-type]


def test_nothing_is_timed_before_the_answers_are_right() -> None:
    timed: list[int] = []

    def wrong() -> None:
        raise WrongAnswer("2 + 2 is 5")

    with pytest.raises(WrongAnswer, match="2 \\+ 2 is 5"):
        run(race({"ours": lambda turn: timed.append(turn) or 1.0}, wrong))
    assert timed == []


def test_every_round_runs_everyone_once_and_ours_twice() -> None:
    turns: list[tuple[str, int]] = []

    def entry(name: str) -> Sampler:
        return lambda turn: turns.append((name, turn)) or 1.0

    run(race({name: entry(name) for name in "abc"}, warm_up=False))
    rounds = [turns[i : i + 4] for i in range(0, len(turns), 4)]
    assert len(rounds) == 6
    for number, taken in enumerate(rounds):
        assert Counter(taken) == Counter(
            [("a", number), ("b", number), ("c", number), ("a", ~number)]
        )


def test_the_order_changes_so_that_everyone_is_first_and_last() -> None:
    names = ["a", "b", "c", "d"]
    orders = [in_order(names, turn) for turn in range(8)]
    assert {order[0] for order in orders} == {order[-1] for order in orders} == set(names)
    assert all(sorted(order) == names for order in orders)


def test_the_warm_up_is_not_counted() -> None:
    def first_is_slow(turn: int) -> float:
        return 100.0 if turn in (6, ~6) else 1.0

    row = run(race({"ours": first_is_slow}))
    assert row["contenders"][CONTROL]["ratio_spread"] == [1, 1]
    assert row["contenders"]["ours"]["median"] == 1


def test_ratios_are_taken_within_a_round() -> None:
    ours = [1.0, 10.0, 1.0, 10.0, 1.0]  # the machine is busy every other round
    numbers = summary([2 * value for value in ours], ours)
    assert numbers == {"median": 2, "minimum": 2, "ratio": 2, "ratio_spread": [2, 2]}


def test_the_control_shows_the_noise() -> None:
    row = run(race({"ours": lambda turn: 3.0 if turn < 0 else 2.0}))
    assert row["contenders"][CONTROL]["ratio"] == 1.5


def test_races_that_fill_caches_run_last_and_keep_their_place() -> None:
    ran: list[str] = []

    def entry(name: str) -> dict[str, Sampler]:
        return {"ours": lambda turn: ran.append(name) or 1.0}

    rows = run_all(
        [race(entry("new"), unit="B", fills_caches=True), race(entry("known"), unit="s")]
    )
    assert list(dict.fromkeys(ran)) == ["known", "new"]
    assert [row["unit"] for row in rows] == ["B", "s"]
