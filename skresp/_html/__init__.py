"""HTML: the Jinja2 environment, and every template of the package.

- `templates/reprs/`: what notebooks show for an ActionSet, an Explanation, Verdicts
  and the structure of an explainer's model
- `templates/notice.html`: a notice for one person
- `templates/audit/`: the audit page, with one file per section in `sections/`
"""
