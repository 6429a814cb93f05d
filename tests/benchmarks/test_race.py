"""What a race does: checks first, then contenders in turn, then ratios within each round."""

import gc
from collections import Counter
from dataclasses import replace

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


def test_nothing_is_collected_while_samples_are_taken() -> None:
    seen: set[bool] = set()
    run(race({"ours": lambda turn: seen.add(gc.isenabled()) or 1.0}))
    assert seen == {False}
    assert gc.isenabled()


def test_ratios_are_taken_within_a_round() -> None:
    ours = [1.0, 10.0, 1.0, 10.0, 1.0]  # the machine is busy every other round
    numbers = summary([2 * value for value in ours], ours)
    assert numbers == {"median": 2, "minimum": 2, "ratio": 2, "ratio_spread": [2, 2]}


def test_the_control_shows_the_noise() -> None:
    row = run(race({"ours": lambda turn: 3.0 if turn < 0 else 2.0}))
    assert row["contenders"][CONTROL]["ratio"] == 1.5


def busy_every_other_round(amount: float) -> Sampler:
    return lambda turn: amount * (10 if turn % 2 else 1)


def test_ratios_are_to_the_base_but_for_the_control() -> None:
    entries = {
        "ours": lambda turn: 5.0 if turn < 0 else busy_every_other_round(4.0)(turn),
        "raw": busy_every_other_round(2.0),
        "peer": busy_every_other_round(6.0),
    }
    row = run(race(entries, base="raw", goal_ratio=2.5))
    ratios = {name: numbers["ratio"] for name, numbers in row["contenders"].items()}
    assert ratios["ours"] == 2
    assert ratios["raw"] == 1
    assert ratios["peer"] == 3
    assert row["contenders"][CONTROL]["ratio_spread"] == [0.125, 1.25]  # 5 to 40 and to 4
    assert (row["base"], row["goal_ratio"]) == ("raw", 2.5)


def test_a_row_without_a_base_is_what_it_was_before_there_were_any() -> None:
    row = run(race({"ours": lambda turn: 1.0}))
    assert list(row) == ["group", "name", "work", "unit", "goal", "rounds", "contenders", "refused"]
    assert row["goal"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base": "nobody"}, "the base 'nobody' is not in"),
        ({"goal_ratio": 2.0}, "a goal as a ratio needs a base"),
        ({"goal_ratio": 2.0, "base": "ours"}, "a goal as a ratio needs a base"),
    ],
)
def test_a_ratio_needs_somebody_else(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        race({"ours": lambda turn: 1.0}, **options)


def test_races_take_turns_round_by_round() -> None:
    ran: list[tuple[str, int]] = []

    def short(name: str, rounds: int) -> Race:
        def entry(turn: int) -> float:
            if turn >= 0:  # not the control
                ran.append((name, turn))
            return 1.0

        return replace(race({"ours": entry}, warm_up=False), rounds=rounds)

    rows = run_all([short("a", 2), short("b", 3)])
    assert ran == [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("b", 2)]
    assert [row["rounds"] for row in rows] == [2, 3]


def test_one_wrong_answer_stops_all_races_before_they_start() -> None:
    timed: list[int] = []

    def wrong() -> None:
        raise WrongAnswer("2 + 2 is 5")

    def sampler(turn: int) -> float:
        timed.append(turn)
        return 1.0

    with pytest.raises(WrongAnswer):
        run_all([race({"ours": sampler}), race({"ours": sampler}, wrong)])
    assert timed == []


def test_no_races_make_no_rows() -> None:
    assert run_all([]) == []


def test_races_that_fill_caches_run_last_and_keep_their_place() -> None:
    ran: list[str] = []

    def entry(name: str) -> dict[str, Sampler]:
        return {"ours": lambda turn: ran.append(name) or 1.0}

    rows = run_all(
        [race(entry("new"), unit="B", fills_caches=True), race(entry("known"), unit="s")]
    )
    assert list(dict.fromkeys(ran)) == ["known", "new"]
    assert [row["unit"] for row in rows] == ["B", "s"]
