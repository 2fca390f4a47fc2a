def work():
    pass


exec("action = work\naction()")
