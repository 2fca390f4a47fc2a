"""What a type checker must refuse; the comments say with which of mypy's codes."""

import tracer

tracer.trace(5)  # expect: arg-type
tracer.trace("lmcache").where(1)  # expect: arg-type
tracer.trace("lmcache").uses("a", op="smash")  # expect: arg-type
print(tracer.trace("lmcache").where("publish")[0].nothing)  # expect: attr-defined
