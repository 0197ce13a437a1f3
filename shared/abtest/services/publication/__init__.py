"""Publication: the catalog's state reaches shoppers through immutable objects and a pointer per environment.

Every step can be repeated and may be the last one of a dying process: objects are named by their hash and written
before the pointer that names them, so until the flip the old publication is complete.

The revision is taken *before* the state is read. So of two publications the one with the higher revision read the later
state (a commit's own publication takes its revision after the commit), and the higher revision always wins a pointer.
When nothing but the revision changed, only the pointer's revision rises: the objects, and with them every ETag, stay.

The default environment's pointer is flipped first, and names all environments that there are. So a publication that
reads it afterwards brings those up to date as well, also one that another publication is just about to make; and one
that was overtaken still brings the environments up to date that the newer one names, in case that one died.
"""

from abtest.services.publication.outcome import PublicationContendedError, PublicationOutcome, TooLargeError
from abtest.services.publication.publish import Publication

__all__ = ["Publication", "PublicationContendedError", "PublicationOutcome", "TooLargeError"]
