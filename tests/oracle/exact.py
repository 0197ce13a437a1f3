"""The formulas once more, plainly, in mpmath at 50 digits: no care is needed there about what cancels."""

from collections.abc import Sequence
from typing import Any

from mpmath import betainc, erfc, erfinv, exp, gamma, hyp2f1, inf, log, loggamma, mp, mpf, pi, quad, sqrt

mp.dps = 50


def normal_sf(z: Any) -> Any:
    return erfc(mpf(z) / sqrt(2)) / 2


def normal_quantile(tail: float) -> Any:
    """z with sf(z) = tail, from the digits of the float."""
    return sqrt(2) * erfinv(1 - 2 * mpf(tail))


def two_proportions(x_c: int, n_c: int, x_t: int, n_t: int) -> dict[str, Any]:
    p_c, p_t, pooled = mpf(x_c) / n_c, mpf(x_t) / n_t, mpf(x_c + x_t) / (n_c + n_t)
    difference = p_t - p_c
    v_p, v_u = pooled_variance(x_c, n_c, x_t, n_t), unpooled_variance(x_c, n_c, x_t, n_t)
    z = difference / sqrt(pooled * (1 - pooled) * (mpf(1) / n_c + mpf(1) / n_t))
    return {
        "difference": difference, "se_pooled": sqrt(v_p), "se_unpooled": sqrt(v_u), "z": z,
        "p_value": 2 * normal_sf(abs(z)), "p_greater": normal_sf(z), "log_p": log(2 * normal_sf(abs(z))),
    }  # fmt: skip


def pooled_variance(x_c: int, n_c: int, x_t: int, n_t: int) -> Any:
    pooled = mpf(x_c + x_t) / (n_c + n_t)
    return pooled * (1 - pooled) * (mpf(1) / n_c + mpf(1) / n_t)


def unpooled_variance(x_c: int, n_c: int, x_t: int, n_t: int) -> Any:
    p_c, p_t = mpf(x_c) / n_c, mpf(x_t) / n_t
    return p_c * (1 - p_c) / n_c + p_t * (1 - p_t) / n_t


def unpooled_variance_of_means(n_c: int, _m_c: float, v_c: float, n_t: int, _m_t: float, v_t: float) -> Any:
    return mpf(v_c) / n_c + mpf(v_t) / n_t


def pooled_variance_of_means(n_c: int, _m_c: float, v_c: float, n_t: int, _m_t: float, v_t: float) -> Any:
    within = ((n_c - 1) * mpf(v_c) + (n_t - 1) * mpf(v_t)) / (n_c + n_t - 2)
    return within / n_c + within / n_t


def student_two_sided(t: Any, freedom: Any) -> Any:
    """By quadrature of the density: independent of any incomplete beta function."""
    t, freedom = abs(mpf(t)), mpf(freedom)
    constant = exp(loggamma((freedom + 1) / 2) - loggamma(freedom / 2)) / sqrt(freedom * pi)
    scale = 1 / (1 + t)
    ends = [t, *(t + k * scale for k in (1, 2, 4, 7, 11, 16, 23, 32, 45, 64, 90, 130, 256)), inf]
    return 2 * constant * quad(lambda u: (1 + u * u / freedom) ** (-(freedom + 1) / 2), ends)


def student_two_sided_by_beta(t: float, freedom: float) -> Any:
    x = mpf(freedom) / (mpf(freedom) + mpf(t) ** 2)
    return betainc(mpf(freedom) / 2, mpf(1) / 2, 0, x, regularized=True)


def welch(n_c: int, m_c: float, v_c: float, n_t: int, m_t: float, v_t: float) -> dict[str, Any]:
    noise_c, noise_t = mpf(v_c) / n_c, mpf(v_t) / n_t
    freedom = (noise_c + noise_t) ** 2 / (noise_c**2 / (n_c - 1) + noise_t**2 / (n_t - 1))
    t = (mpf(m_t) - mpf(m_c)) / sqrt(noise_c + noise_t)
    return {"t": t, "degrees_of_freedom": freedom, "p_value": student_two_sided(t, freedom)}


def unequal_arms(n_c: int, m_c: float, v_c: float, n_t: int, m_t: float, v_t: float) -> dict[str, Any]:
    """Pooled and unpooled variance mixed; the arms' parts of a sum that is linear in their variances have the rest."""

    def mixed(one: Any, other: Any) -> Any:
        case = n_c, m_c, one, n_t, m_t, other
        return (1 - own) * pooled_variance_of_means(*case) + own * unpooled_variance_of_means(*case)

    mean = (n_c * mpf(m_c) + n_t * mpf(m_t)) / (n_c + n_t)
    own = mean**2 / (mean**2 + 2000 * pooled_variance_of_means(n_c, m_c, v_c, n_t, m_t, v_t))
    variance, part_c, part_t = mixed(v_c, v_t), mixed(v_c, 0), mixed(0, v_t)
    freedom = variance**2 / (part_c**2 / (n_c - 1) + part_t**2 / (n_t - 1))
    t = (mpf(m_t) - mpf(m_c)) / sqrt(variance)
    return {"se": sqrt(variance), "t": t, "degrees_of_freedom": freedom, "p_value": student_two_sided(t, freedom)}


def fieller(n_c: int, m_c: float, v_c: float, n_t: int, m_t: float, v_t: float, q: float) -> dict[str, Any]:
    noise_c, noise_t, ratio = mpf(v_c) / n_c, mpf(v_t) / n_t, mpf(m_t) / mpf(m_c)
    g = mpf(q) ** 2 * noise_c / mpf(m_c) ** 2
    if g >= 1:
        return {"lift": ratio - 1, "g": g, "lower": None, "upper": None}
    spread = mpf(q) / abs(mpf(m_c)) * sqrt(noise_t * (1 - g) + noise_c * ratio**2)
    return {
        "lift": ratio - 1, "g": g, "lower": (ratio - spread) / (1 - g) - 1, "upper": (ratio + spread) / (1 - g) - 1,
    }  # fmt: skip


def mixture(difference: Any, variance: Any, tau_squared: Any, alpha: float) -> dict[str, Any]:
    d, v, s = mpf(difference), mpf(variance), mpf(tau_squared)
    r, z = s / v, d / sqrt(v)
    log_lambda = -log(1 + r) / 2 + z**2 * r / (2 * (1 + r))
    margin = sqrt(v * (v + s) / s * (2 * log(1 / mpf(alpha)) + log((v + s) / v)))
    one_sided = log(2) + log_lambda + log(normal_sf(-z * sqrt(r / (1 + r))))
    return {
        "log_lambda": log_lambda, "p": min(mpf(1), exp(-log_lambda)), "lower": d - margin, "upper": d + margin,
        "log_e": one_sided,
    }  # fmt: skip


def planned_tau_squared(variance: Any, visitors: int, alpha: float, planned: float) -> Any:
    a = mpf(alpha)
    return variance * visitors * (-2 * log(a) + log(1 - 2 * log(a))) / mpf(planned)


def count_ratio(x_c: int, x_t: int, share: float, a: float, b: float) -> Any:
    w = mpf(share)

    def below(alpha: Any, beta: Any) -> Any:
        """ln of the incomplete beta function from 0 to w, by its hypergeometric series or by quadrature."""
        if alpha + beta > 10**5:
            return _log_area(alpha, beta, w)
        return alpha * log(w) + beta * log(1 - w) - log(alpha) + log(hyp2f1(alpha + beta, 1, alpha + 1, w))

    return below(mpf(a) + x_t, mpf(b) + x_c) - below(mpf(a), mpf(b)) - x_t * log(w) - x_c * log(1 - w)


def _log_area(alpha: Any, beta: Any, w: Any) -> Any:
    """ln of the integral of x^(alpha-1) (1-x)^(beta-1) from 0 to w, in pieces about where it is largest."""
    mode = (alpha - 1) / (alpha + beta - 2)
    peak, sd = min(mode, w), sqrt(mode * (1 - mode) / (alpha + beta))
    scale = min(sd, 1 / abs((alpha - 1) / peak - (beta - 1) / (1 - peak))) if mode > w else sd
    cuts = [max(peak - k * scale, mpf(0)) for k in (150, 60, 24, 12, 6, 3, 1)]
    cuts += [peak, *(min(peak + k * scale, w) for k in (1, 3, 6, 12, 24, 60))]
    height = (alpha - 1) * log(peak) + (beta - 1) * log(1 - peak)
    area = quad(
        lambda x: exp((alpha - 1) * log(x) + (beta - 1) * log(1 - x) - height) if x else mpf(0), sorted({*cuts})
    )
    return height + log(area)


def ratio_factor(visitors: Sequence[int], weights: Sequence[float], concentration: float) -> Any:
    scale = sum(mpf(weight) for weight in weights)
    shares, c, total = [mpf(weight) / scale for weight in weights], mpf(concentration), sum(visitors)
    arms = zip(visitors, shares, strict=True)
    return (
        loggamma(c)
        - loggamma(c + total)
        + sum(loggamma(c * share + seen) - loggamma(c * share) - seen * log(share) for seen, share in arms)
    )


def chi_squared_sf(x: Any, freedom: int) -> Any:
    from mpmath import gammainc

    return gammainc(mpf(freedom) / 2, mpf(x) / 2) / gamma(mpf(freedom) / 2)


def wilson(hits: int, n: int, confidence: float) -> tuple[Any, Any]:
    z, p = normal_quantile(1 - confidence), mpf(hits) / n
    centre, spread = p + z**2 / (2 * n), z * sqrt(p * (1 - p) / n + z**2 / (4 * mpf(n) ** 2))
    return (centre - spread) / (1 + z**2 / n), (centre + spread) / (1 + z**2 / n)


def beats(a_c: int, b_c: int, a_t: int, b_t: int) -> Any:
    """P(treatment > control) of beta posteriors with whole numbers: a finite sum."""
    return sum(
        exp(_log_beta(a_c + i, b_c + b_t) - log(mpf(b_t + i)) - _log_beta(1 + i, b_t) - _log_beta(a_c, b_c))
        for i in range(a_t)
    )


def loss(a_c: int, b_c: int, a_t: int, b_t: int) -> Any:
    """E[max(control - treatment, 0)], out of two such probabilities."""
    mean_c, mean_t = mpf(a_c) / (a_c + b_c), mpf(a_t) / (a_t + b_t)
    return mean_c * (1 - beats(a_c + 1, b_c, a_t, b_t)) - mean_t * (1 - beats(a_c, b_c, a_t + 1, b_t))


def difference_cdf(a_c: float, b_c: float, a_t: float, b_t: float, delta: float) -> Any:
    """P(treatment - control <= delta), by quadrature."""
    mean, d = mpf(a_c) / (a_c + b_c), mpf(delta)
    sd = sqrt(mean * (1 - mean) / (a_c + b_c))
    cuts = sorted(
        {
            mpf(0),
            mpf(1),
            *(min(max(at, mpf(0)), mpf(1)) for at in (-d, 1 - d, *(mean + k * sd for k in (-12, -4, 0, 4, 12)))),
        }
    )

    def density(x: Any) -> Any:
        upper = min(max(x + d, mpf(0)), mpf(1))
        weight = exp((a_c - 1) * log(x) + (b_c - 1) * log(1 - x) - _log_beta(a_c, b_c))
        return weight * betainc(a_t, b_t, 0, upper, regularized=True)

    with mp.workdps(20):
        return quad(density, cuts)


def _log_beta(a: Any, b: Any) -> Any:
    return loggamma(mpf(a)) + loggamma(mpf(b)) - loggamma(mpf(a) + mpf(b))
