"""Every formula, written once for floats and arrays; callers check first that it can be evaluated.

`m` is the arithmetic of the numbers given. Counts (x conversions of n visitors) may be integers of any size:
differences and variances are formed from them, not from rounded rates, so that nothing is lost at 10^8 visitors or at
rates near 1.
"""

from math import log, pi, sqrt

from scipy.special import betainc, erfcx, gammaln, log_ndtr, ndtr

from abtest.domain.stats.arithmetic import Arithmetic, Real

LOG_2 = log(2)
# Pooled and own variances of means count alike where the squared mean is so many times the variance of its difference.
SHARED_UNTIL = 2000.0
# Below this, betainc has lost digits or is zero.
_TINY = 1e-290
_HALF_LOG_2_PI = 0.5 * log(2 * pi)
_SQRT_HALF, _SQRT_HALF_PI, _SQRT_2_BY_PI = sqrt(0.5), sqrt(pi / 2), sqrt(2 / pi)


def rate_difference(x_c: Real, n_c: Real, x_t: Real, n_t: Real) -> Real:
    """p_t - p_c, rounded once."""
    return (x_t * n_c - x_c * n_t) / (n_c * n_t)


def rate_variance(x: Real, n: Real) -> Real:
    """p(1 - p) of one visitor."""
    return (x / n) * ((n - x) / n)


def unpooled_variance(x_c: Real, n_c: Real, x_t: Real, n_t: Real) -> Real:
    """V_u of the difference of two rates."""
    return rate_variance(x_c, n_c) / n_c + rate_variance(x_t, n_t) / n_t


def pooled_variance(x_c: Real, n_c: Real, x_t: Real, n_t: Real) -> Real:
    """V_p of the difference of two rates, as if they were one."""
    return rate_variance(x_c + x_t, n_c + n_t) * (1 / n_c + 1 / n_t)


def two_sided(m: Arithmetic[Real], z: Real) -> Real:
    """Twice the normal survival function of |z|, of the far tail directly: 1 - cdf would lose all digits."""
    return m.erfc(abs(z) * _SQRT_HALF)


def two_sided_of_large(m: Arithmetic[Real], growth: Real, freedom: Real) -> Real:
    """Twice Student's survival function of |t|, growth = ln(1 + t²/ν) <= 0.02 - 9/ν: to 1e-13, however far the tail.

    In s with s² = ν ln(1 + t²/ν) the density is normal but for the factor √(u / (1 - e^-u)) = 1 + u/4 + u²/96 - u³/384
    - u⁴/10240 + ..., u = s²/ν, which is integrated by parts term by term.
    """
    s, v = freedom * growth, 1 / freedom
    third = (s * (s + 5) + 15) / 384 + v * (s * (s * (s + 7) + 35) + 105) / 10240
    series = v * (0.25 + v * ((s + 3) / 96 - v * third))
    constant = _SQRT_2_BY_PI * (1 - v * (0.25 - v * (0.03125 + v * 0.0390625)))
    w = m.sqrt(s)
    return m.erfc(w * _SQRT_HALF) + constant * m.exp(-0.5 * s) * w * series


def satterthwaite(noise_c: Real, n_c: Real, noise_t: Real, n_t: Real) -> Real:
    """Welch's degrees of freedom; noise = s²/n. In shares of the whole, so that tiny noise does not underflow."""
    share = noise_c / (noise_c + noise_t)
    rest = 1 - share
    return 1 / (share * share / (n_c - 1) + rest * rest / (n_t - 1))


def shared_variance(variance_c: Real, n_c: Real, variance_t: Real, n_t: Real) -> Real:
    """Student's: the variance within arms."""
    return ((n_c - 1) * variance_c + (n_t - 1) * variance_t) / (n_c + n_t - 2)


def unpooled_variance_of_means(variance_c: Real, n_c: Real, variance_t: Real, n_t: Real) -> Real:
    """V_u of the difference of two means."""
    return variance_c / n_c + variance_t / n_t


def pooled_variance_of_means(variance_c: Real, n_c: Real, variance_t: Real, n_t: Real) -> Real:
    """V_p of the difference of two means, as if both arms varied alike."""
    return shared_variance(variance_c, n_c, variance_t, n_t) * (1 / n_c + 1 / n_t)


def own_weight(mean: Real, pooled: Real) -> Real:
    """How much arms' own variances count against the pooled one, 0 to 1; pooled = V_p of the difference of two means.

    Of skewed money an arm's variance is small with its mean, by chance, until there are many orders: then the standard
    error is a small part of the mean of both arms. At 1/√2000 of it, 2.2 %, both variances count alike.
    """
    return mean * mean / (mean * mean + SHARED_UNTIL * pooled)


def drawn_together(
    n_c: Real, mean_c: Real, variance_c: Real, n_t: Real, mean_t: Real, variance_t: Real
) -> tuple[Real, Real, Real]:
    """Variances of both arms drawn to their pooled one, and the degrees of freedom of their test.

    V = (1 - w) V_p + w V_u is a weighted sum of the arms' variances, so Satterthwaite's approximation is of that sum.
    """
    shared, inverse, visitors = shared_variance(variance_c, n_c, variance_t, n_t), 1 / n_c + 1 / n_t, n_c + n_t
    own = own_weight((n_c * mean_c + n_t * mean_t) / visitors, shared * inverse)
    rest = 1 - own
    a_degree = rest * inverse / (visitors - 2)
    part_c, part_t = (own / n_c + a_degree * (n_c - 1)) * variance_c, (own / n_t + a_degree * (n_t - 1)) * variance_t
    freedom = satterthwaite(part_c, n_c, part_t, n_t)
    return rest * shared + own * variance_c, rest * shared + own * variance_t, freedom


def fieller_g(noise_c: Real, mean_c: Real, quantile: Real) -> Real:
    """Uncertainty of the control's mean relative to zero: q² noise / m²; from 1 on the mean may be zero."""
    # Divided twice, because the square of a tiny mean would be zero.
    return quantile * quantile * (noise_c / mean_c / mean_c)


def fieller_ends(
    m: Arithmetic[Real], lift: Real, g: Real, noise_c: Real, mean_c: Real, noise_t: Real, quantile: Real
) -> tuple[Real, Real]:
    """Bounds of the lift for g < 1: R/(1-g) - 1 is written (lift + g)/(1-g), which loses nothing near zero."""
    ratio, middle, rest = 1 + lift, lift + g, 1 - g
    spread = quantile / abs(mean_c) * m.sqrt(noise_t * rest + noise_c * ratio * ratio)
    return (middle - spread) / rest, (middle + spread) / rest


def wilson_ends(m: Arithmetic[Real], x: Real, n: Real, z: Real) -> tuple[Real, Real]:
    """Return both bounds of x / n. The lower one is from their product: a difference would lose digits near zero."""
    upper = (2 * x + z * z + z * m.sqrt(z * z + 4 * x * (n - x) / n)) / (2 * (n + z * z))
    return x / n * x / ((n + z * z) * upper), upper


def unit_information(noise: Real, variance: Real) -> Real:
    """Weight of the data in the posterior mean, against a prior worth one visitor an arm; variance = s_c² + s_t²."""
    return 1 / (1 + noise / variance)


def cuped_variance(variance: Real, covariate_variance: Real, covariance: Real, theta: Real) -> Real:
    """Variance of y - θx."""
    return variance + theta * (theta * covariate_variance - 2 * covariance)


def adjustment_factor(shift: Real, within: Real, freedom: Real, n_c: Real, n_t: Real) -> Real:
    """Variance of an adjusted difference over that with a known θ; shift = difference of the arms' means of x.

    `within` = Σ S_xx and `freedom` = Σ (n - 1) are of all arms that θ is estimated from. The first factor is the degree
    of freedom of θ; the second its variance, σ² / Σ S_xx, times shift².
    """
    return freedom / (freedom - 1) * (1 + shift * shift / (within * (1 / n_c + 1 / n_t)))


def total_variance_of_rates(m: Arithmetic[Real], difference: Real, spreads: tuple[Real, Real, Real, Real]) -> Real:
    """Larger of V_u and V_p of a difference of rates from the variances (n - 1) of zeros and ones, adjusted or not.

    spreads = variance and visitors of the control, then of the treatment. V_p is about the common mean of both arms,
    as that of rates is: p(1 - p) where nothing was adjusted.
    """
    variance_c, n_c, variance_t, n_t = spreads
    squares_c, squares_t, visitors = (n_c - 1) * variance_c, (n_t - 1) * variance_t, n_c + n_t
    unpooled = squares_c / n_c / n_c + squares_t / n_t / n_t
    between = n_c / visitors * n_t * difference * difference
    return m.greater(unpooled, (squares_c + squares_t + between) / visitors * (1 / n_c + 1 / n_t))


def normal_loss(m: Arithmetic[Real], mean: Real, sd: Real) -> Real:
    """E[max(-δ, 0)] for δ ~ N(mean, sd²), sd > 0; Mills' ratio keeps its digits where it is tiny."""
    z = mean / sd
    density = m.exp(-0.5 * z * z - _HALF_LOG_2_PI)
    # erfcx overflows far below zero, and `choose` evaluates this branch there, too.
    mills = _SQRT_HALF_PI * erfcx(m.greater(z, 0.0) * _SQRT_HALF)
    gain = sd * density * (1 - m.greater(z, 0.0) * mills)
    return m.choose(z > 0, gain, sd * density - mean * ndtr(-z))


def log_mixture_ratio(m: Arithmetic[Real], difference: Real, variance: Real, tau_squared: Real) -> Real:
    """log Λ of the mixture N(0, τ²) against no difference."""
    r = tau_squared / variance
    return -0.5 * m.log1p(r) + 0.5 * (difference * difference / variance) * (r / (1 + r))


def log_one_sided_ratio(m: Arithmetic[Real], difference: Real, variance: Real, tau_squared: Real) -> Real:
    """log e of the mixture's upper half, 2 N(0, τ²) above zero, against no difference."""
    r = tau_squared / variance
    direction: Real = log_ndtr(difference / m.sqrt(variance) * m.sqrt(r / (1 + r)))
    return LOG_2 + log_mixture_ratio(m, difference, variance, tau_squared) + direction


def mixture_margin(m: Arithmetic[Real], variance: Real, tau_squared: Real, alpha: Real) -> Real:
    """Half the width of the always-valid interval at level 1 - alpha."""
    growth = m.log1p(tau_squared / variance)
    return m.sqrt(variance * (1 + variance / tau_squared) * (growth - 2 * m.log(alpha)))


def stirling_error(m: Arithmetic[Real], x: Real) -> Real:
    """lnΓ(x) - [(x - ½) ln x - x + ½ ln 2π], x > 0, to 1e-15.

    Source: Loader, Fast and Accurate Computation of Binomial Probabilities (2000).
    """
    # `choose` evaluates both branches, so each gets an argument at which it cannot fail.
    y = m.greater(x, 10.0)
    s = 1 / (y * y)
    tail = 1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - s * (691 / 360360 - s / 156)))
    series = (1 / 12 - s * (1 / 360 - s * tail)) / y
    small = m.lesser(x, 10.0)
    return m.choose(x < 10, gammaln(small) - ((small - 0.5) * m.log(small) - small + _HALF_LOG_2_PI), series)


def deviance(m: Arithmetic[Real], excess: Real, expected: Real) -> Real:
    """x ln(x / M) + M - x for x = M + excess > 0, without the cancellation."""
    u = excess / expected
    return expected * ((1 + u) * m.log1p(u) - u)


def log_ratio_term(m: Arithmetic[Real], seen: Real, share: Real, total: Real, concentration: float) -> Real:
    """Term of one arm in the log Bayes factor of sample ratios.

    All of lnΓ that grows with the visitors cancels between arms and is never formed (it would cost 7 digits at 10^8).
    """
    prior = concentration * share
    expected = (concentration + total) * share
    spread = 0.5 * m.log1p(seen / prior)
    return (
        deviance(m, seen - total * share, expected)
        - spread
        + (stirling_error(m, prior + seen) - stirling_error(m, prior))
    )


def log_ratio_whole(m: Arithmetic[Real], total: Real, concentration: float, whole: Real) -> Real:
    """Term of all arms together in that factor; `whole` is the concentration as a number of the arithmetic's kind."""
    spread = 0.5 * m.log1p(total / concentration)
    return spread - stirling_error(m, whole + total) + stirling_error(m, whole)


def log_count_ratio(m: Arithmetic[Real], x_c: Real, x_t: Real, share: Real, a: Real, b: Real) -> Real:
    """log E that the treatment's share of the counts is below `share`: the beta prior cut off above it.

    ln B(a+x_t, b+x_c) + ln I_w(a+x_t, b+x_c) - ln B(a,b) - ln I_w(a,b) - x_t ln w - x_c ln(1-w).
    """
    prior = m.log(a * b / (a + b)) + log_binomial(m, a, b, share)
    seen_a, seen_b = a + x_t, b + x_c
    seen = m.log(seen_a * seen_b / (seen_a + seen_b)) + log_binomial(m, seen_a, seen_b, share)
    return prior - seen + log_betainc(m, seen_a, seen_b, share) - log_betainc(m, a, b, share)


def log_binomial(m: Arithmetic[Real], a: Real, b: Real, share: Real) -> Real:
    """ln [C(a+b, a) w^a (1-w)^b] by its saddle point, w = share."""
    n = a + b
    excess = a * (1 - share) - b * share
    errors = stirling_error(m, n) - stirling_error(m, a) - stirling_error(m, b)
    far = deviance(m, excess, n * share) + deviance(m, -excess, n * (1 - share))
    return errors - far + 0.5 * m.log(n / (a * b)) - _HALF_LOG_2_PI


def log_betainc(m: Arithmetic[Real], a: Real, b: Real, x: Real) -> Real:
    """ln I_x(a, b); where that underflows, its leading term as a continued fraction."""
    plain: Real = betainc(a, b, x)
    # log(0) must not be formed, not even where `choose` drops it.
    safe = m.greater(plain, _TINY)
    if not m.some(plain <= _TINY):
        return m.log(safe)
    lead = m.log(a * b / (a + b)) + log_binomial(m, a, b, x) - m.log(a)
    # x = 0 where the fraction is not used: there it might not converge.
    far = lead - m.log(betainc_fraction(a, b, m.choose(plain > _TINY, 0 * x, x)))
    return m.choose(plain > _TINY, m.log(safe), far)


def betainc_fraction(a: Real, b: Real, x: Real) -> Real:
    """1 / [I_x(a,b) a B(a,b) x^-a (1-x)^-b], from the bottom up; for x well below a / (a + b), where I_x is tiny."""
    # 1 in the shape of `a`, for arrays.
    value = 1 + 0 * a
    for j in range(60, 0, -1):
        even = j * (b - j) * x / ((a + 2 * j - 1) * (a + 2 * j))
        odd = -(a + j - 1) * (a + b + j - 1) * x / ((a + 2 * j - 2) * (a + 2 * j - 1))
        value = 1 + odd / (1 + even / value)
    return value
