"""The web as a place to search: one guarded fetcher, pages kept as they were read, providers by plugin, a crawler.

`guard` says what may be reached, `fetch` reaches it, `reading` makes text of it, `pages` keeps it, `providers` give
addresses for a query, `searcher` puts it together. Everything here is cheap to import.
"""
