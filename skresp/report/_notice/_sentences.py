"""Every sentence of a notice, with braces for what differs between people.

`_letter` chooses among them. `_change_text` says how many changes of a feature work and
how values and ranges read ("500 or less", "in steps of 10"), `_notice` what moves
together.
"""

from __future__ import annotations

TITLE = "What would change this decision"
TITLE_APPROVED = "Already approved"

# What to call the target where the caller gives no name for it.
WANTED = "the outcome you asked for"

# -- the first paragraph, by verdict: `_letter._verdict` chooses ----------------------

APPROVED = "You already have {wanted}. Nothing needs to change."
INVALID = (
    "The data we hold about you contradict each other, so we could not determine what "
    "would change the decision. The data need to be corrected first."
)
# Followed by the change as a bullet; by one feature; by several.
SINGLE_EXAMPLE = "One change is enough. This change leads to {wanted}:"
SINGLE_ONE = "One change is enough. This change, by itself, leads to {wanted}."
SINGLE_SOME = (
    "One change is enough. Each of these changes, by itself, leads to {wanted}."
)
SINGLE_ONE_UNCERTAIN = (
    "One change can be enough. This change, with the values given here, can lead to "
    "{wanted}."
)
SINGLE_SOME_UNCERTAIN = (
    "One change can be enough. Each of these changes, with the values given here, can "
    "lead to {wanted}."
)
BY_CHANCE = (
    "Each of these changes can lead to {wanted}. The result also depends on things "
    "that change by chance."
)
JOINT = (
    "No single change leads to {wanted}. You would need to make all of these changes:"
)
POSSIBLE = (
    "Making all of these changes leads to {wanted}. Fewer changes may be enough: we "
    "did not check every combination."
)
FIXED = (
    "None of the changes we treat as possible would lead to {wanted}, alone or "
    "together. We checked all of them."
)
UNKNOWN = (
    "We did not find a change that leads to {wanted}, but we did not check every "
    "combination."
)
NOT_SINGLE = (
    "No single change leads to {wanted}. We did not check whether several changes "
    "together would."
)
NOT_SINGLE_SAMPLED = (
    "None of the single changes we tried leads to {wanted}. We did not try all of "
    "them, and did not check whether several changes together would."
)
NOT_FOUND = "We found no possible change of {names}, but there may be one."

# -- one feature that works: `_letter._line` chooses ----------------------------------

NOW = "Now: {now}."
WORKS = "Works: {works}."
WORKS_EXACTLY = "Works: exactly {works}."
FOR_EXAMPLE = "Works, for example: {example}."
MAY_WORK = "May work, depending on what else changes: {works}."
ALWAYS_WORKS = "Always works: {always}."
# What follows from a change; BY_THEN says it of changes made together.
ALSO_CHANGES = "Changing it to {example} also changes {others}."
FOLLOWER = "{name} to {new}"

# -- how many of the changes of a feature work ----------------------------------------
# In `to_dict` for every feature; in letters only where effects are random.

SHARE_ALL = "Every possible change works."
SHARE_COUNTED = "{hits} of the {n} possible changes {verb}."
SHARE_EXACT = "{share} of the possible changes work."
SHARE_SAMPLED = (
    "About {share} of {n} changes that we tried work (between {lower} and {upper} of "
    "all possible changes)."
)
SHARE_UNKNOWN = (
    "{hits} of {n} changes that we tried work. They are only some of the possible "
    "changes, so the share of all that work is not known."
)
ISOLATED = "No other value works."

# -- changes made together -----------------------------------------------------------

MOVE = "{name} from {old} to {new}"
BY_THEN = "By then {name} will be {new} (now {old})."
# The same of a binary feature.
THIS_CHANGES = "This also changes {name} to {new} (now {old})."
ALL_NEEDED = "Making only some of these changes may not change the decision."

# -- the end -------------------------------------------------------------------------

MORE = "{features} would work as well."
NOTE = (
    "This is not the legal notice of the reasons for our decision. The main reasons "
    "may include things you cannot change."
)
