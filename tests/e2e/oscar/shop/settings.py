"""Settings of the shop; `manage.py` of Django is `python -m django` with DJANGO_SETTINGS_MODULE=settings."""

import os
from pathlib import Path

from oscar.defaults import *  # noqa: F403 - the way django-oscar is configured

HERE = Path(__file__).parent

DEBUG = True
SECRET_KEY = "a shop of our tests"
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "urls"
SITE_ID = 1
USE_TZ = True
STATIC_URL = "/static/"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["SHOP_DATABASE"]}}
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
# The default hashes a wrong password for a second of CPU, per backend: on a busy machine longer than a preview waits.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
MEDIA_ROOT = str(Path(os.environ["SHOP_DATABASE"]).parent / "media")
MEDIA_URL = "/media/"
SNIPPET_URL = os.environ["SHOP_SNIPPET_URL"]

OSCAR_SHOP_NAME = "Paper and Ink"
OSCAR_DEFAULT_CURRENCY = "EUR"
OSCAR_ALLOW_ANON_CHECKOUT = True
OSCAR_REQUIRED_ADDRESS_FIELDS = ("first_name", "last_name", "line1", "line4", "postcode", "country")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.sites",
    "django.contrib.sitemaps",
    "django.contrib.flatpages",
    "oscar.config.Shop",
    *(
        f"oscar.apps.{name}.apps.{config}"
        for name, config in {
            "analytics": "AnalyticsConfig",
            "checkout": "CheckoutConfig",
            "address": "AddressConfig",
            "shipping": "ShippingConfig",
            "catalogue": "CatalogueConfig",
            "catalogue.reviews": "CatalogueReviewsConfig",
            "communication": "CommunicationConfig",
            "partner": "PartnerConfig",
            "basket": "BasketConfig",
            "payment": "PaymentConfig",
            "offer": "OfferConfig",
            "order": "OrderConfig",
            "customer": "CustomerConfig",
            "search": "SearchConfig",
            "voucher": "VoucherConfig",
            "wishlists": "WishlistsConfig",
            "dashboard": "DashboardConfig",
            "dashboard.reports": "ReportsDashboardConfig",
            "dashboard.users": "UsersDashboardConfig",
            "dashboard.orders": "OrdersDashboardConfig",
            "dashboard.catalogue": "CatalogueDashboardConfig",
            "dashboard.offers": "OffersDashboardConfig",
            "dashboard.partners": "PartnersDashboardConfig",
            "dashboard.pages": "PagesDashboardConfig",
            "dashboard.ranges": "RangesDashboardConfig",
            "dashboard.reviews": "ReviewsDashboardConfig",
            "dashboard.vouchers": "VouchersDashboardConfig",
            "dashboard.communications": "CommunicationsDashboardConfig",
            "dashboard.shipping": "ShippingDashboardConfig",
        }.items()
    ),
    "widget_tweaks",
    "haystack",
    "treebeard",
    "django_tables2",
    "sorl.thumbnail",
]


class NoMigrations(dict[str, None]):
    """Every app without migrations: `migrate --run-syncdb` makes the tables at once."""

    def __contains__(self, app: object) -> bool:
        return True

    def __getitem__(self, app: str) -> None:
        return None


MIGRATION_MODULES = NoMigrations()

MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.contrib.flatpages.middleware.FlatpageFallbackMiddleware",
    "oscar.apps.basket.middleware.BasketMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [HERE / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.template.context_processors.static",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "oscar.apps.search.context_processors.search_form",
                "oscar.apps.checkout.context_processors.checkout",
                "oscar.core.context_processors.metadata",
                "tags.snippet",
            ]
        },
    }
]
AUTHENTICATION_BACKENDS = [
    "oscar.apps.customer.auth_backends.EmailBackend",
    "django.contrib.auth.backends.ModelBackend",
]
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}}
