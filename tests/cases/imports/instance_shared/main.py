from state import registry

import plugin

registry.run()
