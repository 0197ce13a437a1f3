"""The shop, its sitemap and its robots.txt, as the sandbox of django-oscar has them."""

from django.apps import apps
from django.contrib.sitemaps import GenericSitemap
from django.contrib.sitemaps.views import index, sitemap
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from oscar.core.loading import get_model

SITEMAPS = {
    "products": GenericSitemap({"queryset": get_model("catalogue", "Product").objects.all()}, protocol="http"),
    "categories": GenericSitemap({"queryset": get_model("catalogue", "Category").objects.all()}, protocol="http"),
}


def robots(request: HttpRequest) -> HttpResponse:
    """Keep crawlers out of baskets, and name the sitemap."""
    address = request.build_absolute_uri("/sitemap.xml")
    return HttpResponse(f"User-agent: *\nDisallow: /basket/\nSitemap: {address}\n", content_type="text/plain")


urlpatterns = [
    path("robots.txt", robots),
    path("sitemap.xml", index, {"sitemaps": SITEMAPS, "sitemap_url_name": "sitemap"}),
    path("sitemap-<section>.xml", sitemap, {"sitemaps": SITEMAPS}, name="sitemap"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include(apps.get_app_config("oscar").urls[0])),
]
