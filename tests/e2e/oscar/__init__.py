"""A whole shop that nobody here wrote, django-oscar, with our snippet in its head: basket, checkout, confirmation."""
