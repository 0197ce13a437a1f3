"""Syntax checks of customers' scripts by a JavaScript engine."""

from abtest.adapters.scripts.quickjs import QuickJsChecker

__all__ = ["QuickJsChecker"]
