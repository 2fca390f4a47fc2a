from shapes import Circle

Circle(1).area()
