import importlib

module = importlib.import_module("tools")
module.work()
