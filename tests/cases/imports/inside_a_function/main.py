def run():
    from late import work

    work()


run()
