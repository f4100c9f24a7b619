"""What a method answers, and the statistics that several methods use."""

import math


def finding(value, confidence):
    return {"value": value, "reason": None, "confidence": confidence}


def missing(reason, confidence):
    return {"value": None, "reason": reason, "confidence": confidence}


def mean_of(values):
    return math.fsum(values) / len(values)


def deviation_of(values):
    """The standard deviation with n - 1."""
    mean = mean_of(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
