"""The input of each method for a user. test/oracles/users.ts makes the same from the same seed.

Each part draws its kind first, so that a thousand users contain all awkward cases many times.
"""

from datetime import date, timedelta

from draws import Draw

FIRST_NOON_MS = 1772452800000  # 2026-03-02T12:00:00Z, a Monday


def days_of(draw):
    """Values of days: constant, nearly constant, extreme, mostly missing, a single one, none today, unusual at the end."""
    kind, length, centre = draw.whole(0, 7), draw.whole(1, 75), draw.whole(400, 800)
    days = []
    for day in range(length):
        is_gone = draw.next() < (0.85 if kind == 4 else 0.1)
        part, noise = draw.next(), draw.whole(-60, 60)
        value = centre + noise
        if kind == 1 or (kind == 2 and part < 0.7):
            value = centre
        if kind == 3 and part < 0.05:
            value = 1000000000 * noise
        if kind == 7 and day >= length - 4:
            value = centre + 400
        if kind == 5:
            is_gone = day < length - 1
        if kind == 6 and day == length - 1:
            is_gone = True
        days.append(None if is_gone else value / 10)
    return days


def night_of(draw):
    """A night: without stages, first, equal bedtimes, bedtimes around noon, with seconds, on borders of the components."""
    kind, usual = draw.whole(0, 7), draw.whole(560, 760)
    count = 0 if kind == 1 else draw.whole(1, 20)
    around = lambda: usual if kind == 2 else draw.whole(0, 1439) if kind == 3 else usual + draw.whole(-90, 90)
    bedtime = around()
    earlier = [around() for _ in range(count)]
    if kind == 4:
        bedtime = (bedtime * 60000 + draw.whole(0, 59999)) / 60000
        earlier = [(minutes * 60000 + draw.whole(0, 59999)) / 60000 for minutes in earlier]
    if kind == 5:
        bedtime, earlier = usual + 15 + 21 * draw.whole(0, 5), [usual] * count
    asleep = draw.whole(-10, 1500) if kind == 6 else draw.whole(240, 620)
    deep, rem = draw.whole(0, 130), draw.whole(0, 130)
    return {
        "asleepMinutes": asleep,
        "deepMinutes": None if kind == 0 else deep,
        "remMinutes": None if kind == 0 else rem,
        "bedtimeMinutes": bedtime,
        "earlierBedtimes": earlier,
        "awakeMinutes": draw.whole(0, 110),
        "awakenings": [draw.whole(1, 12) for _ in range(draw.whole(0, 8))],
    }


def variabilities_of(draw):
    """Means of seven nights: constant, few, extreme, of few samples, all 0."""
    kind, centre = draw.whole(0, 4), draw.whole(150, 900)
    nights = []
    for _ in range(7):
        is_gone, noise = draw.next() < (0.6 if kind == 1 else 0.1), draw.whole(-100, 100)
        value = centre if kind == 0 else 0 if kind == 4 and centre > 600 else centre * 1000000 if kind == 2 and noise > 60 else centre + noise
        samples = draw.whole(1, 20 if kind == 3 else 100)
        nights.append(None if is_gone else {"meanMs": value / 10, "samples": samples})
    return nights


def sleep_of(draw):
    """Spans of sleep: the same each day, at random, across noon, with naps, by two devices, with seconds; missing days."""
    kind, count = draw.whole(0, 6), draw.whole(1, 28)
    start, length = draw.whole(420, 840), draw.whole(300, 560)
    spans, known = [], []
    for day in range(count):
        is_gone, shift, nap = draw.next() < (0 if kind == 0 else 0.15), draw.whole(-120, 120), draw.whole(0, 300)
        seconds = draw.whole(0, 59) if kind == 5 else 0
        known.append(not is_gone)
        if is_gone:
            continue
        first = start + (0 if kind == 0 else shift * 3 if kind == 1 else shift) + (600 if kind == 2 else 0)
        at = FIRST_NOON_MS + day * 86400000 + first * 60000 + seconds * 1000
        spans.append({"startMs": at, "endMs": at + length * 60000})
        if kind == 3:
            at = FIRST_NOON_MS + day * 86400000 + nap * 60000
            spans.append({"startMs": at, "endMs": at + 30 * 60000})
        if kind == 4:
            spans.append({"startMs": at + 7 * 60000, "endMs": at + (length + nap) * 60000})
    return [spans, {"startMs": FIRST_NOON_MS, "known": known}]


def middles_of(draw):
    """Middles of the sleep of nights: all equal, around noon, few, no free day."""
    kind, centre = draw.whole(0, 4), draw.whole(780, 1000)
    nights = []
    for day in range(28):
        end = date(2026, 3, 2) + timedelta(days=day)
        is_gone, noise = draw.next() < (0.8 if kind == 2 else 0.1), draw.whole(-90, 90)
        if is_gone or (kind == 3 and day % 7 >= 5):
            continue
        middle = centre if kind == 0 else draw.whole(0, 1439) if kind == 1 else centre + noise
        nights.append({"date": end.isoformat(), "middleMinutes": middle})
    return nights


def heart_of(draw):
    """Heart rates at rest and at most: one of both not known, or equal."""
    rest, maximum = draw.whole(40, 80), draw.whole(150, 210)
    gone = draw.whole(0, 9)
    return {"restBpm": None if gone == 0 else rest, "maxBpm": None if gone == 1 else rest if gone == 2 else maximum}


def samples_of(draw):
    """Heart rates of a workout: none, above the maximum, constant, spans of no length."""
    kind, constant = draw.whole(0, 5), draw.whole(90, 190)
    samples = []
    for _ in range(0 if kind == 0 else draw.whole(1, 30)):
        bpm, seconds = draw.whole(30, 230), draw.whole(0, 300)
        bpm = constant if kind == 1 else 240 if kind == 2 and bpm > 200 else bpm
        samples.append({"bpm": bpm, "seconds": 0 if kind == 3 and seconds < 100 else seconds})
    return samples


def loads_of(draw):
    """Loads of days: none at all, equal, an end, one huge, less than a week, less than 28 or 42 days."""
    kind = draw.whole(0, 6)
    length, constant = draw.whole(1, 8) if kind == 4 else draw.whole(1, 60), draw.whole(1, 1500)
    loads = []
    for day in range(length):
        is_rest, load = draw.next() < 0.4, draw.whole(1, 2500)
        load = constant if kind == 1 else 0 if kind == 0 or is_rest or (kind == 2 and day > 20) else load
        loads.append((1000000000 if kind == 3 and day == 5 else load) / 10)
    return loads


def week_of(draw):
    """Active minutes of seven days: none, mostly missing."""
    kind = draw.whole(0, 3)
    days = []
    for _ in range(7):
        is_gone = draw.next() < (0.5 if kind == 1 else 0.15)
        moderate, vigorous = draw.whole(0, 40), draw.whole(0, 20)
        idle = {"moderateMinutes": 0, "vigorousMinutes": 0}
        active = {"moderateMinutes": moderate, "vigorousMinutes": vigorous}
        days.append(None if is_gone else idle if kind == 0 else active)
    return days


def steps_of(draw):
    """Steps of minutes: none, a day that is not covered, no step."""
    kind = draw.whole(0, 3)
    count = draw.whole(0, 640) if kind == 0 else draw.whole(590, 700)
    return [0 if draw.next() < 0.5 or kind == 1 else draw.whole(1, 180) for _ in range(count)]


def run_of(draw):
    """A part of a run: none, or at one of the bounds of what suffices."""
    kind = draw.whole(0, 7)
    run = {
        "seconds": draw.whole(300, 3600),
        "metersPerMinute": draw.whole(110, 320),
        "grade": draw.whole(-50, 100) / 1000,
        "bpm": draw.whole(80, 210),
    }
    bounds = {1: {"seconds": 600}, 2: {"seconds": 599}, 3: {"metersPerMinute": 134}, 4: {"metersPerMinute": 133}}
    return None if kind == 0 else {**run, **bounds.get(kind, {})}


def glucose_of(draw):
    """Values of two weeks: few, constant, all 0, on the bounds of the ranges, none at night."""
    kind, interval = draw.whole(0, 7), draw.pick([15, 20, 30])
    most = 14 * 1440 // interval
    count = draw.whole(most - most // 10, most) if kind < 3 else draw.whole(0, most // 8) if kind > 4 else most * 7 // 10
    values = []
    for index in range(count):
        level = draw.whole(40, 300)
        level = (0 if interval == 30 else 110) if kind == 1 else [53, 54, 69, 70, 180, 181, 250, 251][level % 8] if kind == 2 else level
        minute = index * interval % (900 if kind == 0 else 1440)
        values.append({"mgPerDl": level, "minuteOfDay": minute})
    return [values, interval]


def user_of(seed):
    """The arguments of each method."""
    draw = Draw(seed)
    days, window, samples, heart = days_of(draw), draw.pick([28, 60]), samples_of(draw), heart_of(draw)
    sex, loads = draw.pick(["male", "female", None]), loads_of(draw)
    rest, maximum = draw.whole(40, 80), draw.whole(150, 210)
    return {
        "baseline": [days, window],
        "deviation": [days, window],
        "banister_impulse": [samples, heart, sex],
        "edwards_impulse": [samples, heart["maxBpm"]],
        "heart_rate_zones": [samples, [maximum - 100, maximum - 80, maximum - 60, maximum - 40, maximum - 20]],
        "heart_rate_reserve_zones": [rest, maximum],
        "fitness_and_fatigue": [loads],
        "monotony": [loads],
        "acute_chronic_ratio": [loads],
        "sleep_score": [night_of(draw)],
        "hrv_stability": [variabilities_of(draw)],
        "sleep_regularity": sleep_of(draw),
        "social_jet_lag": [middles_of(draw)],
        "weekly_activity": [week_of(draw)],
        "peak_cadence": [steps_of(draw)],
        "oxygen_uptake": [run_of(draw), heart],
        "glucose_report": glucose_of(draw),
    }
