"""Routes of the family, one module per resource."""

from api_analytics.endpoints.exports import router as exports
from api_analytics.endpoints.health import router as health
from api_analytics.endpoints.overviews import router as overviews
from api_analytics.endpoints.quarantine import router as quarantine
from api_analytics.endpoints.refreshes import router as refreshes
from api_analytics.endpoints.reports import router as reports
from api_analytics.endpoints.results import of_personalizations
from api_analytics.endpoints.results import router as results
from api_analytics.endpoints.running import router as running
from api_analytics.endpoints.sample_sizes import router as sample_sizes
from api_analytics.endpoints.segments import router as segments
from api_analytics.endpoints.stats import router as stats
from api_analytics.endpoints.timeseries import router as timeseries

ROUTERS = (
    results,
    timeseries,
    segments,
    refreshes,
    of_personalizations,
    stats,
    overviews,
    running,
    exports,
    quarantine,
    sample_sizes,
    health,
    reports,
)
