from app.views.page import show

show()
