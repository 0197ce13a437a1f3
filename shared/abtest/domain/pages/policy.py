"""The Content-Security-Policy of a page: it may load the snippet and the shop's assets, and nothing else."""

from base64 import b64encode
from hashlib import sha256

from abtest.domain.pages.site import Site
from abtest.domain.pages.spec import Form, PageSpec

NOTHING = "'none'"


def policy(spec: PageSpec, site: Site, style: str) -> str:
    """Return the policy. The page's style sheet is allowed by its hash; the edge has the long ones of variations."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    has_form = any(isinstance(block, Form) for block in spec.blocks)
    # All claimed hosts, not only the forms' own: browsers also check where an answer redirects to.
    targets = " ".join(f"https://{host}" for host in sorted(site.form_hosts)) if has_form else ""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {site.edge_origin}",
            f"style-src 'sha256-{digest}' {site.edge_origin}",
            f"img-src {site.assets_origin}",
            f"font-src {site.assets_origin}",
            f"media-src {site.assets_origin}",
            f"connect-src {site.edge_origin}",
            f"form-action {targets or NOTHING}",
            "base-uri 'none'",
            "frame-ancestors 'self'",
        )
    )


def in_meta(policy: str) -> str:
    """Return a policy as a meta element may have it: browsers ignore `frame-ancestors` there, and complain."""
    return "; ".join(each for each in policy.split("; ") if not each.startswith("frame-ancestors"))
