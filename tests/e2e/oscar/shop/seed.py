"""One product in stock and one country to ship to. Run with Django's settings; writes the product's path."""

import os
import sys
from decimal import Decimal

import django

django.setup()

from django.contrib.sites.models import Site  # noqa: E402 - Django must be set up first
from oscar.apps.address.models import Country  # noqa: E402
from oscar.apps.catalogue.models import Category, Product, ProductClass  # noqa: E402
from oscar.apps.partner.models import Partner, StockRecord  # noqa: E402

Site.objects.update_or_create(id=1, defaults={"domain": os.environ["SHOP_HOST"], "name": "Paper and Ink"})
Country.objects.create(
    iso_3166_1_a2="DE", iso_3166_1_a3="DEU", printable_name="Germany", name="Germany", is_shipping_country=True
)
product = Product.objects.create(
    product_class=ProductClass.objects.create(name="Stationery", requires_shipping=True, track_stock=True),
    title="Notebook with dotted pages",
    description="<p>One hundred and sixty pages.</p>",
    upc="NB-160",
    is_public=True,
)
product.categories.add(Category.objects.add_root(instance=Category(name="Notebooks")))
StockRecord.objects.create(
    product=product,
    partner=Partner.objects.create(name="Warehouse"),
    partner_sku="NB-160",
    price_currency="EUR",
    price=Decimal("12.40"),
    num_in_stock=1000,
)
sys.stdout.write(product.get_absolute_url())
