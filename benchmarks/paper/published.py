"""The published figures, as data.

Cheon, Wernerfelt, Friedler, Ustun, "Feature Responsiveness Scores: Model-Agnostic
Explanations for Recourse", ICLR 2025: the table of AUC (appendix), the table of paths
to recourse, the table of explanations (LR and XGB; RF in the appendix). The plots by
rank are images: there is nothing to copy.
"""

DATA = ("heloc", "german", "givemecredit")
MODELS = ("LR", "XGB", "RF")
METHODS = ("LIME", "SHAP", "LIME-AW", "SHAP-AW", "RESP")

# Train and test.
AUC = {
    ("heloc", "LR"): (0.772, 0.788),
    ("heloc", "XGB"): (0.859, 0.785),
    ("heloc", "RF"): (0.780, 0.790),
    ("german", "LR"): (0.819, 0.760),
    ("german", "XGB"): (0.971, 0.794),
    ("german", "RF"): (0.828, 0.766),
    ("givemecredit", "LR"): (0.841, 0.844),
    ("givemecredit", "XGB"): (0.875, 0.793),
    ("givemecredit", "RF"): (0.864, 0.835),
}

# Percent of all rows, then percent of the denied.
PATHS = ("denied", "no_recourse", "single", "joint")
RECOURSE = {
    ("heloc", "LR"): (56.1, 22.2, 41.0, 36.8),
    ("heloc", "RF"): (58.3, 31.3, 31.7, 37.0),
    ("heloc", "XGB"): (57.0, 53.1, 25.3, 21.6),
    ("german", "LR"): (22.9, 7.4, 74.2, 18.3),
    ("german", "RF"): (17.5, 28.6, 48.0, 23.4),
    ("german", "XGB"): (22.0, 11.8, 68.2, 20.0),
    ("givemecredit", "LR"): (24.6, 15.6, 72.4, 12.0),
    ("givemecredit", "RF"): (24.7, 0.2, 93.2, 6.6),
    ("givemecredit", "XGB"): (24.8, 11.5, 76.0, 12.5),
}

# Percent of the denied, percent of those presented (three), mean length of a list.
WORTH = (
    "presented",
    "all_unresponsive",
    "some_responsive",
    "all_responsive",
    "n_features",
)
# In the order of METHODS.
LISTS = {
    ("heloc", "LR"): (
        (100.0, 92.7, 7.3, 0.0, 4.0),
        (100.0, 77.3, 22.7, 0.0, 4.0),
        (100.0, 76.8, 23.2, 0.0, 4.0),
        (100.0, 70.3, 29.7, 0.2, 4.0),
        (41.0, 0.0, 100.0, 100.0, 2.3),
    ),
    ("heloc", "XGB"): (
        (100.0, 93.2, 6.8, 0.0, 4.0),
        (100.0, 82.3, 17.7, 0.0, 4.0),
        (100.0, 80.0, 20.0, 0.0, 4.0),
        (100.0, 79.6, 20.4, 0.0, 4.0),
        (25.3, 0.0, 100.0, 100.0, 2.5),
    ),
    ("heloc", "RF"): (
        (100.0, 86.5, 13.5, 0.0, 4.0),
        (100.0, 78.2, 21.8, 0.0, 4.0),
        (100.0, 77.1, 22.9, 0.0, 4.0),
        (100.0, 76.7, 23.3, 0.5, 4.0),
        (31.7, 0.0, 100.0, 100.0, 2.4),
    ),
    ("german", "LR"): (
        (100.0, 91.7, 8.3, 0.0, 4.0),
        (100.0, 100.0, 0.0, 0.0, 4.0),
        (100.0, 59.4, 40.6, 0.0, 4.0),
        (100.0, 65.1, 34.9, 0.0, 4.0),
        (74.2, 0.0, 100.0, 100.0, 1.8),
    ),
    ("german", "XGB"): (
        (100.0, 100.0, 0.0, 0.0, 4.0),
        (100.0, 99.1, 0.9, 0.0, 4.0),
        (100.0, 70.5, 29.5, 0.0, 4.0),
        (100.0, 67.3, 32.7, 0.0, 4.0),
        (68.2, 0.0, 100.0, 100.0, 1.8),
    ),
    ("german", "RF"): (
        (100.0, 100.0, 0.0, 0.0, 4.0),
        (100.0, 89.1, 10.9, 0.0, 4.0),
        (100.0, 76.6, 23.4, 0.0, 4.0),
        (100.0, 64.6, 35.4, 0.0, 4.0),
        (48.0, 0.0, 100.0, 100.0, 2.2),
    ),
    ("givemecredit", "LR"): (
        (100.0, 65.5, 34.5, 0.0, 4.0),
        (100.0, 46.8, 53.2, 0.0, 4.0),
        (100.0, 56.0, 44.0, 0.0, 4.0),
        (100.0, 33.1, 66.9, 22.8, 4.0),
        (72.4, 0.0, 100.0, 100.0, 2.4),
    ),
    ("givemecredit", "XGB"): (
        (100.0, 41.8, 58.2, 0.0, 4.0),
        (100.0, 43.3, 56.7, 0.0, 4.0),
        (100.0, 31.6, 68.4, 4.2, 4.0),
        (100.0, 30.6, 69.4, 13.2, 4.0),
        (76.0, 0.0, 100.0, 100.0, 2.6),
    ),
    ("givemecredit", "RF"): (
        (100.0, 56.5, 43.5, 0.0, 4.0),
        (100.0, 26.8, 73.2, 0.5, 4.0),
        (100.0, 28.4, 71.6, 1.4, 4.0),
        (100.0, 21.0, 79.0, 11.4, 4.0),
        (93.2, 0.0, 100.0, 100.0, 2.9),
    ),
}
