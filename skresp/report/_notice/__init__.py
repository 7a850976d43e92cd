"""The notice for one person: what would change the decision.

To change a sentence of the letter: `_sentences.py`. To change its layout:
`skresp/_html/templates/notice.html` (HTML) and `_letter.py` (text).
"""
