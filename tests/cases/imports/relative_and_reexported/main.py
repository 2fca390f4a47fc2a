from package import work

work()
