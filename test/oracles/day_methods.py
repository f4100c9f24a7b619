"""The methods of workouts, loads, activity and glucose, written from docs/insights and apart from domain/insights."""

import math

from findings import deviation_of, finding, mean_of, missing

# docs/insights/training-impulse.md


def banister_impulse(samples, heart, sex):
    if not samples:
        return missing("no_heart_rate", 0)
    if sex is None:
        return missing("no_sex", 0)
    if heart["restBpm"] is None:
        return missing("no_resting_heart_rate", 0)
    if heart["maxBpm"] is None or heart["maxBpm"] <= heart["restBpm"]:
        return missing("no_maximum_heart_rate", 0)
    factor, exponent = (0.64, 1.92) if sex == "male" else (0.86, 1.67)
    reserve = heart["maxBpm"] - heart["restBpm"]
    shares = [min(1, max(0, (sample["bpm"] - heart["restBpm"]) / reserve)) for sample in samples]
    parts = [
        sample["seconds"] / 60 * share * factor * math.exp(exponent * share)
        for sample, share in zip(samples, shares)
    ]
    return finding(math.fsum(parts), 1)


def heart_rate_zones(samples, edges):
    seconds = [0] * 5
    for sample in samples:
        zone = sum(1 for edge in edges if sample["bpm"] >= edge)
        if zone > 0:
            seconds[zone - 1] += sample["seconds"]
    return seconds


def heart_rate_reserve_zones(rest, maximum):
    return [rest + tenths * (maximum - rest) / 10 for tenths in (5, 6, 7, 8, 9)]


def edwards_impulse(samples, maximum):
    if not samples:
        return missing("no_heart_rate", 0)
    if maximum is None:
        return missing("no_maximum_heart_rate", 0)
    seconds = heart_rate_zones(samples, [tenths * maximum / 10 for tenths in (5, 6, 7, 8, 9)])
    return finding(sum(zone * part for zone, part in enumerate(seconds, 1)) / 60, 1)


# docs/insights/training-load.md


def fitness_and_fatigue(loads):
    confidence = min(1, len(loads) / 42)
    if len(loads) < 42:
        return missing("too_few_days", confidence)
    means = {42: [0], 7: [0]}
    for span, mean in means.items():
        for load in loads:
            mean.append(mean[-1] + (load - mean[-1]) * (1 - math.exp(-1 / span)))
    balance = means[42][-2] - means[7][-2]
    return finding({"chronic": means[42][-1], "acute": means[7][-1], "balance": balance}, confidence)


def monotony(loads):
    confidence = min(1, len(loads) / 7)
    week = loads[-7:]
    if len(week) < 7:
        return missing("too_few_days", confidence)
    if deviation_of(week) <= 1e-9 * mean_of(week):
        return missing("no_variation", confidence)
    ratio = mean_of(week) / deviation_of(week)
    return finding({"weekLoad": math.fsum(week), "monotony": ratio, "strain": math.fsum(week) * ratio}, confidence)


def acute_chronic_ratio(loads):
    confidence = min(1, len(loads) / 28)
    if len(loads) < 28:
        return missing("too_few_days", confidence)
    if not any(loads):
        return missing("no_data", confidence)
    acute = chronic = loads[0]
    for load in loads[1:]:
        acute = acute * (1 - 2 / 8) + load * 2 / 8
        chronic = chronic * (1 - 2 / 29) + load * 2 / 29
    return finding(acute / chronic, confidence)


# docs/insights/activity.md


def weekly_activity(days):
    known = [day for day in days[-7:] if day is not None]
    confidence = len(known) / 7
    if len(known) < 4:
        return missing("too_few_days", confidence)
    moderate = sum(day["moderateMinutes"] for day in known)
    vigorous = sum(day["vigorousMinutes"] for day in known)
    total = moderate + 2 * vigorous
    minutes = {"moderateMinutes": moderate, "vigorousMinutes": vigorous, "equivalentMinutes": total}
    return finding({**minutes, "isReached": total >= 150}, confidence)


def peak_cadence(steps):
    confidence = min(1, len(steps) / 600)
    if len(steps) < 600:
        return missing("too_little_coverage", confidence)
    return finding(sum(sorted(steps)[-30:]) / 30, confidence)


# docs/insights/oxygen-uptake.md


def oxygen_uptake(run, heart):
    if run is None or run["seconds"] < 600 or run["metersPerMinute"] < 134:
        return missing("not_steady", 0)
    if heart["restBpm"] is None:
        return missing("no_resting_heart_rate", 0)
    if heart["maxBpm"] is None or heart["maxBpm"] <= heart["restBpm"]:
        return missing("no_maximum_heart_rate", 0)
    share = (run["bpm"] - heart["restBpm"]) / (heart["maxBpm"] - heart["restBpm"])
    if not 0.5 <= share <= 0.95:
        return missing("not_steady", 0)
    speed, grade = run["metersPerMinute"], run["grade"]
    return finding(3.5 + (0.2 * speed + 0.9 * speed * grade) / share, 1)


# docs/insights/glucose.md


def percentile(ordered, percent):
    place = percent * (len(ordered) - 1) / 100
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def glucose_report(values, interval):
    confidence = min(1, len(values) * interval / (14 * 1440))
    if len(values) * interval < 0.7 * 14 * 1440:
        return missing("too_little_coverage", confidence)
    levels = [value["mgPerDl"] for value in values]
    if not any(levels):
        return missing("no_data", confidence)
    share = lambda fits: 100 * sum(1 for level in levels if fits(level)) / len(levels)
    hours = [sorted(value["mgPerDl"] for value in values if value["minuteOfDay"] // 60 == hour) for hour in range(24)]
    report = {
        "meanMgPerDl": mean_of(levels),
        "gmiPercent": 3.31 + 0.02392 * mean_of(levels),
        "cvPercent": 100 * deviation_of(levels) / mean_of(levels),
        "below54Percent": share(lambda level: level < 54),
        "from54To69Percent": share(lambda level: 54 <= level < 70),
        "from70To180Percent": share(lambda level: 70 <= level <= 180),
        "from181To250Percent": share(lambda level: 180 < level <= 250),
        "above250Percent": share(lambda level: level > 250),
        "hours": [[percentile(hour, part) for part in (5, 25, 50, 75, 95)] if hour else None for hour in hours],
    }
    return finding(report, confidence)
