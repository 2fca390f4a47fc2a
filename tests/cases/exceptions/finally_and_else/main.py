def body():
    pass


def otherwise():
    pass


def always():
    pass


try:
    body()
except ValueError:
    pass
else:
    otherwise()
finally:
    always()
