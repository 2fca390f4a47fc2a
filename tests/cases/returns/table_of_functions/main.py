def start():
    pass


def stop():
    pass


def commands():
    return {"start": start, "stop": stop}


commands()["stop"]()
