"""The report of an experiment as a page: facts in, HTML out. It reads neither requests nor storage."""

from abtest.services.report_page.page import filename as filename
from abtest.services.report_page.page import lasting as lasting
from abtest.services.report_page.page import policy as policy
from abtest.services.report_page.page import render_report as render_report
