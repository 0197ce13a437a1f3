"""The form of a page: labels above their fields, and an error below a field that is invalid."""

from abtest.domain.pages.sections import Setting, heading, section
from abtest.domain.pages.spec import Form, FormField
from abtest.domain.pages.words import Language
from abtest.kit.markup import Html, el


def form(block: Form, setting: Setting) -> Html:
    """Return the section of a form."""
    fields = [_field(block, each, setting.language) for each in block.fields]
    submit = el("p", el("button", block.submit, type="submit", class_="button primary"), class_="actions")
    inner = el("form", fields, submit, action=block.action, method="post", class_="card", accept_charset="utf-8")
    return section(block, heading(block, block.heading, setting), inner, is_narrow=True)


def _field(block: Form, field: FormField, language: Language) -> Html:
    # Ids of blocks have no underscore, so the id of a field is never that of a block or of another form's field.
    id_ = f"{block.id}_{field.name}"
    hint = None if field.required else el("small", f" ({language.words.optional})", lang=language.lang)
    label = el("label", field.label, hint, for_=id_)
    message = language.words.invalid_email if field.type == "email" else language.words.invalid
    error = el("p", message, class_="error", lang=language.lang)
    if field.type == "checkbox":
        return el("div", _control(field, id_, language), label, error, class_="field check")
    return el("div", label, _control(field, id_, language), error, class_="field")


def _control(field: FormField, id_: str, language: Language) -> Html:
    required = "" if field.required else None
    shared = {"id": id_, "name": field.name, "required": required, "autocomplete": field.autocomplete}
    if field.type == "textarea":
        return el("textarea", rows="5", **shared)
    if field.type == "select":
        empty = el("option", f"{language.words.choose} …", value="", lang=language.lang)
        return el("select", empty, [el("option", each, value=each) for each in field.options], **shared)
    value = "yes" if field.type == "checkbox" else None
    return el("input", type=field.type, value=value, **shared)
