"""axe-core in the package: the very file that npm has under the locked version."""

from abtest.services.pages.qa_scripts import axe_script
from tests.browser.pages.conftest import installed


def test_axe__in_the_package__is_that_of_the_locked_version() -> None:
    published = (installed("axe-core") / "axe.min.js").read_text(encoding="utf-8")
    assert axe_script() == f"() => {{\n{published}\n}}"
