from .inner.core import work
