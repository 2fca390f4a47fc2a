def do_open():
    pass


def do_close():
    pass


table = {"do_open": do_open, "do_close": do_close}
verb = "open"
table[f"do_{verb}"]()
table["do_" + "close"]()
