"""Answers → text, JSON, Markdown pages. The only package that knows a template engine; nothing here reads rules."""
