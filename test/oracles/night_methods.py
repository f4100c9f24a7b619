"""Baselines and the methods of nights, written from docs/insights and apart from domain/insights."""

import math
import statistics
from datetime import date

from findings import deviation_of, finding, mean_of, missing

# docs/insights/baseline.md


def baseline(days, window):
    before = [value for value in days[:-1][-window:] if value is not None]
    confidence = len(before) / window
    if len(before) < 14:
        return missing("too_few_days", confidence)
    median = statistics.median(before)
    spread = 1.4826 * statistics.median([abs(value - median) for value in before])
    return finding({"median": median, "spread": spread, "days": len(before)}, confidence)


def deviation(days, window):
    usual = baseline(days, window)
    confidence = usual["confidence"]
    if usual["value"] is None:
        return usual
    if days[-1] is None:
        return missing("no_data", confidence)
    median, spread = usual["value"]["median"], usual["value"]["spread"]
    if spread <= 1e-9 * abs(median):
        return missing("no_variation", confidence)
    distances = [(value - median) / spread for value in days if value is not None]
    side = 1 if distances[-1] > 0 else -1
    unusual = 0
    while unusual < len(distances) and side * distances[-1 - unusual] >= 2:
        unusual += 1
    return finding({"value": days[-1], "z": distances[-1], "unusualDays": unusual}, confidence)


# docs/insights/sleep-score.md


def duration_points(minutes):
    hours = minutes / 60
    if 7 <= hours <= 9:
        return 100
    if hours < 7:
        return int(100 * (1 + math.exp(-1.5 * (7 - 5))) / (1 + math.exp(-1.5 * (hours - 5))))
    return max(50, int(100 * (1 + math.exp(0.8 * (9 - 11))) / (1 + math.exp(0.8 * (hours - 11)))))


def stage_points(minutes):
    return max(0, min(100, int(minutes / 90 * 100)))


def hours_after_noon(minutes):
    """The time of day as the reference computes it: from the hour, minute and second of the clock."""
    seconds = math.floor(minutes * 60 + 1e-6) + 12 * 3600
    hours = seconds // 3600 % 24 + seconds // 60 % 60 / 60 + seconds % 60 / 3600
    return (hours + 24 if hours < 12 else hours) - 12


def consistency_points(bedtime, earlier):
    usual = statistics.median(hours_after_noon(minutes) for minutes in earlier)
    late = (hours_after_noon(bedtime) - usual) * 60
    if late > 15:
        return max(0, int(100 - (late - 15) / 105 * 100))
    if late < -15:
        return int(100 - min(20, (-late - 15) / 105 * 100))
    return 100


def interruption_points(awake, awakenings):
    lasting = 80 if awake <= 20 else max(0, 80 - (awake - 20) / 70 * 80)
    times = sum(1 for minutes in awakenings if minutes > 5)
    return int(lasting + [20, 20, 15, 10, 0][min(times, 4)])


def sleep_score(night):
    earlier = night["earlierBedtimes"][-14:]
    confidence = len(earlier) / 14
    if not 0 < night["asleepMinutes"] <= 1440:
        return missing("no_data", confidence)
    if night["deepMinutes"] is None or night["remMinutes"] is None:
        return missing("no_stages", confidence)
    if not earlier:
        return missing("no_earlier_night", confidence)
    duration = duration_points(night["asleepMinutes"])
    stages = int(stage_points(night["deepMinutes"]) * 0.5 + stage_points(night["remMinutes"]) * 0.5)
    consistency = consistency_points(night["bedtimeMinutes"], earlier)
    interruptions = interruption_points(night["awakeMinutes"], night["awakenings"])
    share = (duration / 100) * 0.4 + (stages / 100) * 0.2 + (consistency / 100) * 0.2 + (interruptions / 100) * 0.2
    components = {
        "duration": duration,
        "stages": stages,
        "consistency": consistency,
        "interruptions": interruptions,
    }
    return finding({"score": int(100 * share), "components": components}, confidence)


# docs/insights/hrv-stability.md


def hrv_stability(nights):
    week = [night for night in nights[-7:] if night is not None]
    values = [night["meanMs"] for night in week if night["samples"] >= 12]
    confidence = len(values) / 7
    if len(week) < 5:
        return missing("too_few_nights", confidence)
    if len(values) < 5:
        return missing("too_few_samples", confidence)
    mean = mean_of(values)
    if mean == 0:
        return missing("no_data", confidence)
    deviation = deviation_of(values)
    coefficient = 0 if deviation <= 1e-9 * mean else deviation / mean
    return finding({"coefficient": coefficient, "meanMs": mean, "nights": len(values)}, confidence)


# docs/insights/sleep-regularity.md


def minutes_asleep(spans, start_ms, day_count):
    """A set bit for each minute whose middle is slept."""
    asleep = 0
    for span in spans:
        middle = start_ms + 30000
        first = max(0, -((middle - span["startMs"]) // 60000))
        end = min(day_count * 1440, -((middle - span["endMs"]) // 60000))
        if end > first:
            asleep |= (1 << end) - (1 << first)
    return asleep


def sleep_regularity(spans, days):
    known = days["known"]
    asleep = minutes_asleep(spans, days["startMs"], len(known))
    whole_day = (1 << 1440) - 1
    each = [asleep >> 1440 * day & whole_day for day in range(len(known))]
    pairs = [day for day in range(len(known) - 1) if known[day] and known[day + 1]]
    confidence = len(pairs) / 27
    if len(pairs) < 5:
        return missing("too_few_days", confidence)
    different = sum((each[day] ^ each[day + 1]).bit_count() for day in pairs)
    compared = 1440 * len(pairs)
    return finding(-100 + 200 * (compared - different) / compared, confidence)


def social_jet_lag(nights):
    confidence = len(nights) / 28
    is_free = [date.fromisoformat(night["date"]).isoweekday() >= 6 for night in nights]
    free = [night["middleMinutes"] for night, is_off in zip(nights, is_free) if is_off]
    work = [night["middleMinutes"] for night, is_off in zip(nights, is_free) if not is_off]
    if len(work) < 5 or len(free) < 2:
        return missing("too_few_nights", confidence)
    middles = {"workMiddleMinutes": mean_of(work), "freeMiddleMinutes": mean_of(free)}
    return finding({**middles, "lagMinutes": mean_of(free) - mean_of(work)}, confidence)
