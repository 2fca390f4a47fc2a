def open_it():
    return Handle()


class Handle:
    def close(self):
        pass


def run():
    handle = open_it()
    try:
        return handle
    finally:
        handle.close()


run().close()
