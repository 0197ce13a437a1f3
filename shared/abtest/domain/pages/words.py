"""The few words of a page that its author does not write, in the language of the page."""

from dataclasses import dataclass
from typing import NamedTuple

RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur", "yi"})


class Words(NamedTuple):
    """Words of one language."""

    skip: str
    yes: str
    no: str
    optional: str
    choose: str
    invalid: str
    invalid_email: str


_ENGLISH = Words(
    "Skip to content",
    "Yes",
    "No",
    "optional",
    "Please choose",
    "Please fill in this field.",
    "Please enter an email address, such as name@shop.example.",
)
_WORDS = {
    "en": _ENGLISH,
    "da": Words(
        "Gå til indhold",
        "Ja",
        "Nej",
        "valgfrit",
        "Vælg venligst",
        "Udfyld venligst dette felt.",
        "Angiv en e-mailadresse, f.eks. navn@shop.example.",
    ),
    "de": Words(
        "Zum Inhalt springen",
        "Ja",
        "Nein",
        "optional",
        "Bitte auswählen",
        "Bitte füllen Sie dieses Feld aus.",
        "Bitte geben Sie eine E-Mail-Adresse ein, z. B. name@shop.example.",
    ),
    "es": Words(
        "Ir al contenido",
        "Sí",
        "No",
        "opcional",
        "Seleccione",
        "Rellene este campo.",
        "Escriba un correo electrónico, como nombre@shop.example.",
    ),
    "fr": Words(
        "Aller au contenu",
        "Oui",
        "Non",
        "facultatif",
        "Veuillez choisir",
        "Veuillez remplir ce champ.",
        "Veuillez saisir une adresse e-mail, par exemple nom@shop.example.",
    ),
    "it": Words(
        "Vai al contenuto",
        "Sì",
        "No",
        "facoltativo",
        "Selezionare",
        "Compilare questo campo.",
        "Inserire un indirizzo e-mail, ad esempio nome@shop.example.",
    ),
    "nl": Words(
        "Naar de inhoud",
        "Ja",
        "Nee",
        "optioneel",
        "Maak een keuze",
        "Vul dit veld in.",
        "Vul een e-mailadres in, bijvoorbeeld naam@shop.example.",
    ),
    "pl": Words(
        "Przejdź do treści",
        "Tak",
        "Nie",
        "opcjonalne",
        "Wybierz",
        "Wypełnij to pole.",
        "Podaj adres e-mail, na przykład imie@shop.example.",
    ),
    "pt": Words(
        "Ir para o conteúdo",
        "Sim",
        "Não",
        "opcional",
        "Selecione",
        "Preencha este campo.",
        "Indique um e-mail, por exemplo nome@shop.example.",
    ),
    "sv": Words(
        "Hoppa till innehållet",
        "Ja",
        "Nej",
        "valfritt",
        "Välj",
        "Fyll i fältet.",
        "Ange en e-postadress, till exempel namn@shop.example.",
    ),
}


@dataclass(frozen=True, slots=True)
class Language:
    """Words, the language that they are in where it is not the page's, and the direction of writing."""

    words: Words
    lang: str | None
    direction: str | None


def language(tag: str) -> Language:
    """Return the words of a page's language. Without a translation they are English, and marked as English."""
    primary = tag.partition("-")[0].lower()
    direction = "rtl" if primary in RIGHT_TO_LEFT else None
    return Language(_WORDS.get(primary, _ENGLISH), None if primary in _WORDS else "en", direction)
