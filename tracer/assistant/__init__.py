"""What assistants ask Tracer over the Model Context Protocol: `tracer mcp` serves it on standard input and output.

Every tool asks `tracer.api`, so that an assistant gets what the command line gets: the same documents, in pages, with
the quoted lines beside each place, re-read and compared when they are handed out. Only this package knows the SDK.
"""
