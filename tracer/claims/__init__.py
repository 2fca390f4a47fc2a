"""Claims: small typed predicates about the code, decided on any version with the lines that decide them.

`load` reads them, `check` judges them; each family of predicates is a module (`presence`, `sequence`, `reach`,
`values`), and `select` finds the places that they speak of.
"""
