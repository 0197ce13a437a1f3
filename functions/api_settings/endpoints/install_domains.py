"""Routes of install domains."""

from typing import Annotated

from abtest.contract.runtime_settings import InstallDomainsResponse, UpdateInstallDomains
from abtest.http.deps import IfMatch, use, versioned
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, ValidationFailedError
from abtest.services.settings.install_domains import InstallDomainSettings
from abtest.services.settings.store import RevisionConflictError
from api_settings.endpoints.vocabulary import SettingsReader, SettingsWriter

router = Router("/settings/install-domains", tag="Runtime settings")

DomainUse = Annotated[InstallDomainSettings, use(InstallDomainSettings)]


@router.get("", operation_id="getInstallDomains")
@versioned
def get_install_domains(caller: SettingsReader, settings: DomainUse) -> InstallDomainsResponse:
    """Return the hosts on which the snippet is installed, and the revision to send with the next write."""
    return settings.get(caller)


@router.patch(
    "",
    operation_id="updateInstallDomains",
    responses=errors(RevisionConflictError, ConflictError, ValidationFailedError),
)
@versioned
def update_install_domains(
    caller: SettingsWriter, body: UpdateInstallDomains, if_match: IfMatch, settings: DomainUse
) -> InstallDomainsResponse:
    """Change the shop's domain, its additional hosts, or both (merge patch).

    A host belongs to one shop: a host of another shop is 409 `conflict` with the path of the field. So is giving up a
    host at which landing pages are published; the message names them.
    """
    return settings.update(caller, body, if_match)
