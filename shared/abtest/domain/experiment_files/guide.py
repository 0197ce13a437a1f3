"""README.md of an experiment's files: the same for every experiment, so that every copy has it already."""

GUIDE_TEXT = """\
# Files of an experiment

The whole design of one experiment. Edit them, plan, read the plan, apply it.

| file | contents |
|---|---|
| `experiment.json` | name, traffic, targeting, and the order of the variations |
| `experiment.js`, `experiment.css`, `reset.js` | code for all variations |
| `goals.json` | the goals, in their order; `key` identifies one and stays when its name changes |
| `variations/<folder>/variation.json` | name, weight, control, redirect, and the order of its URL blocks |
| `variations/<folder>/mutations.json` | changes to elements |
| `variations/<folder>/custom.css`, `custom.js` | code of the variation |
| `variations/<folder>/blocks/<name>.json`, `.css`, `.js` | content for certain addresses |
| `README.md` | this text, which is generated |

A field that is left out has its default. A folder identifies its variation and stays when the name changes. A
new folder is a new variation, and needs its place in `variations` of `experiment.json`. Pages, audiences and goals of
the shop are named; where two have one name, their id is written instead. Code files end with a line break that
is not part of the code; an empty one is the same as none.
"""
