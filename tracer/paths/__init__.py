"""Ways through the graph: named routes and their stations, the path that follows them, what drives a site, relays."""
