"""Fits the numbers of the path without a language model (`rag_app/synthesize/offline/fitted.toml`) to several suites,
and shows how well they hold for a suite that took no part in the fit."""
