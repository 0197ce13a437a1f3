"""Syntax checks of customers' scripts with a JavaScript engine."""

from abtest.adapters.scripts.quickjs import QuickJsChecker

__all__ = ["QuickJsChecker"]
