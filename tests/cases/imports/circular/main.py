import first

first.start()
