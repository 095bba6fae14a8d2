#!/usr/bin/env python3
"""Writes reference.txt: samples and what scipy, or plain counting of every case, says about them.

usage: reference.py > reference.txt      (python3-scipy 1.10.1, python3-numpy 1.24.2)"""
from fractions import Fraction
from itertools import combinations
from math import comb, gamma, sqrt

import numpy as np
from scipy import stats

random = np.random.default_rng(20260101)


def line(key, *values):
    print(key, *(repr(float(value)) for value in values))


def midranks(a, b):
    return stats.rankdata(np.concatenate([a, b]))


def counted_p(values, n_b, seen):
    """P(|sum - mean| >= |seen - mean|) over all choices of n_b of the values, in fractions."""
    values = [Fraction(str(value)) for value in values]
    mean = sum(values) * n_b / len(values)
    distance = abs(Fraction(str(seen)) - mean)
    hits = sum(abs(sum(chosen) - mean) >= distance for chosen in combinations(values, n_b))
    return Fraction(hits, comb(len(values), n_b))


def counts_of_u(n_a, n_b):
    """How many arrangements have U = 0, 1, ...: f(a, b, u) = f(a-1, b, u-b) + f(a, b-1, u)."""
    rows = [[1] for _ in range(n_b + 1)]
    for _ in range(n_a):
        new = [[1]]
        for b in range(1, n_b + 1):
            size = len(rows[b]) + b
            new.append([(rows[b][u - b] if 0 <= u - b < len(rows[b]) else 0) +
                        (new[b - 1][u] if u < len(new[b - 1]) else 0) for u in range(size)])
        rows = new
    return rows[n_b]


def shift(a, b):
    differences = np.sort(np.subtract.outer(b, a).ravel())
    line("shift", np.median(differences))
    counts, total, below, c = counts_of_u(len(a), len(b)), comb(len(a) + len(b), len(a)), 0, 0
    while 40 * (below + counts[c]) <= total:
        below += counts[c]
        c += 1
    if c > 0:
        line("shift_interval", differences[c - 1], differences[-c], 1 - 2 * below / total)


def two_samples(name, a, b):
    print("case", name)
    line("a", *a)
    line("b", *b)
    tied = len(set(a) | set(b)) < len(a) + len(b)
    ranks = midranks(a, b)
    ways = comb(len(a) + len(b), len(a))
    line("u", stats.mannwhitneyu(b, a).statistic)
    if not tied and len(a) * len(b) <= 10000:
        line("exact_p", stats.mannwhitneyu(b, a, method="exact").pvalue)
    elif tied and ways <= 200000:
        line("tied_p", counted_p(ranks, len(b), sum(ranks[len(a):])))
    else:
        line("normal_p", stats.mannwhitneyu(b, a, method="asymptotic").pvalue)
    if len(a) > 1 and len(b) > 1:
        welch = stats.ttest_ind(b, a, equal_var=False)
        va, vb = np.var(a, ddof=1) / len(a), np.var(b, ddof=1) / len(b)
        degrees = (va + vb) ** 2 / (va ** 2 / (len(a) - 1) + vb ** 2 / (len(b) - 1))
        half = stats.t.ppf(0.975, degrees) * sqrt(va + vb)
        difference = np.mean(b) - np.mean(a)
        line("welch", welch.statistic, degrees, welch.pvalue, difference - half, difference + half)
        m = len(a) + len(b) - 2
        pooled = sqrt(((len(a) - 1) * np.var(a, ddof=1) + (len(b) - 1) * np.var(b, ddof=1)) / m)
        d = difference / pooled
        line("effect", d, d * gamma(m / 2) / (sqrt(m / 2) * gamma((m - 1) / 2)))
    if ways <= 200000:
        everything = np.concatenate([a, b])
        seen = sum(Fraction(str(value)) for value in b)  # as written in decimals, not as rounded
        line("permutation_p", counted_p(everything, len(b), seen))
    if len(a) * len(b) <= 3600:
        shift(a, b)


def one_sample(name, values):
    print("case", name)
    line("values", *values)
    n = len(values)
    mean, deviation = np.mean(values), np.std(values, ddof=1)
    low, high = stats.t.interval(0.95, n - 1, mean, deviation / sqrt(n))
    line("moments", np.median(values), mean, deviation, low, high, stats.variation(values, ddof=1))
    rank = int(stats.binom.ppf(0.025, n, 0.5))
    while rank > 0 and stats.binom.cdf(rank - 1, n, 0.5) > 0.025:
        rank -= 1
    if rank > 0:
        ordered = np.sort(values)
        line("median_interval", ordered[rank - 1], ordered[n - rank], 1 - 2 * stats.binom.cdf(rank - 1, n, 0.5))
    kendall = stats.kendalltau(range(n), values)
    s = sum(np.sign(y - x) for x, y in combinations(values, 2))
    if len(set(values)) == n and n <= 50:
        p = stats.kendalltau(range(n), values, method="exact").pvalue
    else:
        ties = sum(t * (t - 1) * (2 * t + 5) for t in np.unique(values, return_counts=True)[1])
        p = 2 * stats.norm.sf(max(0, abs(s) - 1) / sqrt((n * (n - 1) * (2 * n + 5) - ties) / 18))
    line("trend", s, kendall.statistic, p)


def rounded(values, digits):
    return np.round(values, digits)


def t_coverage(name, draw, mean):
    """The share of 400,000 experiments in which the 95 % t interval holds the mean."""
    print("case t coverage", name)
    for n in (10, 30):
        values = draw((400000, n))
        half = stats.t.ppf(0.975, n - 1) * np.std(values, axis=1, ddof=1) / sqrt(n)
        line(f"t_coverage_{n}", np.mean(abs(np.mean(values, axis=1) - mean) <= half))


two_samples("three against three, apart", np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
two_samples("five against six", rounded(random.normal(10, 1, 5), 3), rounded(random.normal(11, 2, 6), 3))
two_samples("two against nine", rounded(random.normal(10, 1, 2), 3), rounded(random.normal(9, 2, 9), 3))
two_samples("ten against ten", rounded(random.normal(10, 1, 10), 3), rounded(random.normal(11, 1, 10), 3))
two_samples("thirty against thirty", rounded(random.lognormal(0, 0.5, 30), 6), rounded(random.lognormal(0.3, 0.5, 30), 6))
two_samples("forty against sixty", rounded(random.normal(5, 1, 40), 6), rounded(random.normal(5.3, 1, 60), 6))
two_samples("five against six with ties", random.integers(0, 5, 5), random.integers(1, 6, 6))
two_samples("eight against nine with ties", random.integers(0, 6, 8), random.integers(2, 9, 9))
two_samples("ten against four with ties", random.integers(0, 4, 10), random.integers(1, 6, 4))
two_samples("many with ties", random.integers(0, 30, 70), random.integers(3, 33, 65))
two_samples("many", rounded(random.normal(0, 1, 130), 6), rounded(random.normal(0.2, 1, 110), 6))
one_sample("seven", rounded(random.normal(10, 1, 7), 3))
one_sample("twelve rising", rounded(random.normal(10, 1, 12) + np.arange(12) * 0.3, 3))
one_sample("thirty", rounded(random.lognormal(0, 0.5, 30), 6))
one_sample("forty with ties", random.integers(0, 9, 40))
one_sample("ninety", rounded(random.normal(-3, 1, 90), 6))
t_coverage("lognormal", lambda shape: random.lognormal(0, 0.5, shape), np.exp(0.125))
t_coverage("bimodal", lambda shape: random.normal(0, 0.5, shape) + random.choice([0.25, 1.75], shape), 1)
