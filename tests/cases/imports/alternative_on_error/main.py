try:
    from missing_accelerator import work
except ImportError:
    from slow import work

work()
