"""SQL of a row's money, equal to `domain.ledger.rows.money_of`."""

from abtest.adapters.warehouse.sql_texts import AMOUNT, literal
from abtest.domain.ledger.rows import CONVERTED, FOREIGN, OWN, UNKNOWN_MONEY

MONEY_COLUMNS = ("revenue_minor", "currency", "shop_revenue_minor", "shop_currency")
IS_KNOWN = f"money_kind IN ('{OWN}', '{CONVERTED}')"
"""Condition that money of this kind is in the requested currency."""


class Money:
    """SQL expressions over MONEY_COLUMNS, for a plan or a day in one currency, or in that of the column `named_in`."""

    def __init__(self, currency: str, *, named_in: str | None = None) -> None:
        currency_of_sums = named_in or literal(currency)
        own = f"(revenue_minor IS NOT NULL AND currency = {currency_of_sums})"
        converted = f"(shop_revenue_minor IS NOT NULL AND shop_currency = {currency_of_sums})"
        foreign = "(revenue_minor IS NOT NULL AND currency IS NOT NULL)"
        self.is_known = f"({own} OR {converted})"
        self.kind = (
            f"CASE WHEN {own} THEN '{OWN}' WHEN {converted} THEN '{CONVERTED}' WHEN {foreign} THEN '{FOREIGN}'"
            f" ELSE '{UNKNOWN_MONEY}' END"
        )
        self.minor = (
            f"CAST(CASE WHEN {own} THEN revenue_minor WHEN {converted} THEN shop_revenue_minor"
            f" WHEN currency IS NULL OR {foreign} THEN coalesce(revenue_minor, 0) ELSE 0 END AS {AMOUNT})"
        )
        self.named = f"CASE WHEN {self.is_known} OR {foreign} THEN coalesce(currency, '') ELSE '' END"
