from dataclasses import dataclass, field

import pytest

from knowledge.aliyun.faults import Call, Fault, fault, fault_of_code
from knowledge.aliyun.pace import Pace

CALL = Call("DescribePrice", "cn-hangzhou")
BUSY = fault("throttled", CALL)


@dataclass
class Time:
    """A clock that only sleeping moves."""

    now: float = 100.0
    slept: list[float] = field(default_factory=list)

    def ticks(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds


@dataclass
class Script:
    """Answers one after the other, and notes when."""

    time: Time
    answers: list[str | Fault]
    at: list[float] = field(default_factory=list)

    def __call__(self) -> str | Fault:
        self.at.append(round(self.time.now, 6))
        return self.answers.pop(0)


def pace(time: Time, *, calls_per_second: float = 2, attempts: int = 5) -> Pace:
    return Pace(calls_per_second, attempts=attempts, clock=time.ticks, sleep=time.sleep)


def test_calls_are_spread_out() -> None:
    time = Time()
    script = Script(time, ["a", "b", "c"])
    steady = pace(time)
    assert [steady.run(script) for _ in range(3)] == ["a", "b", "c"]
    assert script.at == [100.0, 100.5, 101.0]


def test_time_that_passed_anyway_is_not_waited_again() -> None:
    time = Time()
    script = Script(time, ["a", "b"])
    steady = pace(time)
    steady.run(script)
    time.now += 3
    steady.run(script)
    assert time.slept == [] and script.at == [100.0, 103.0]


def test_waits_double_and_end_with_the_attempts() -> None:
    time = Time()
    script = Script(time, [BUSY] * 4)
    assert pace(time, calls_per_second=1000, attempts=4).run(script) is BUSY
    assert time.slept == [1.0, 2.0, 4.0]
    assert script.answers == []


@pytest.mark.parametrize("name", ["timeout", "no_connection", "internal", "not_json"])
def test_what_is_broken_is_given_up_sooner_than_what_is_busy(name: str) -> None:
    time = Time()
    found = fault(name, CALL)
    script = Script(time, [found] * 5)
    assert pace(time, calls_per_second=1000, attempts=5).run(script) is found
    assert len(script.at) == 3


def test_the_server_says_how_long() -> None:
    time = Time()
    asked = fault_of_code("Throttling", CALL, wait_ms=12_500)
    assert pace(time, calls_per_second=1000).run(Script(time, [asked, "a"])) == "a"
    assert time.slept == [12.5]


@pytest.mark.parametrize(("wait_ms", "waited"), [(10**9, 120.0), (-5, 1.0), ("soon", 1.0), (float("nan"), 1.0), (True, 1.0)])
def test_waits_that_make_no_sense(wait_ms: object, waited: float) -> None:
    time = Time()
    asked = fault_of_code("Throttling", CALL, wait_ms=wait_ms)
    pace(time, calls_per_second=1000).run(Script(time, [asked, "a"]))
    assert time.slept == [waited]


@pytest.mark.parametrize("name", ["permission", "key", "region", "refused", "no_keys"])
def test_what_will_not_pass_is_not_tried_again(name: str) -> None:
    time = Time()
    found = fault(name, CALL)
    assert pace(time).run(Script(time, [found, "a"])) is found


def test_a_throttled_worker_goes_slower_and_recovers_slowly() -> None:
    time = Time()
    script = Script(time, [BUSY, "a", "b", "c"])
    steady = pace(time, calls_per_second=1)
    for _ in range(3):
        steady.run(script)
    gaps = [round(after - before, 6) for before, after in zip(script.at, script.at[1:], strict=False)]
    assert gaps == [1.0, 2.0, 1.8]
    for _ in range(20):
        script.answers.append("d")
        steady.run(script)
    assert round(script.at[-1] - script.at[-2], 6) == 1.0


def test_a_worker_that_is_always_throttled_stays_above_zero() -> None:
    time = Time()
    steady = pace(time, calls_per_second=1, attempts=1)
    script = Script(time, [BUSY] * 20)
    for _ in range(20):
        steady.run(script)
    assert round(script.at[-1] - script.at[-2], 6) == 10.0
