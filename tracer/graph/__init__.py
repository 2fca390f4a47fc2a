"""Facts → who reaches whom: symbols (world), types, uses of state, calls, crossings, edges."""
