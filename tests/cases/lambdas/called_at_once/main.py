def target():
    pass


(lambda action: action())(target)
