// The module has no declarations: its data takes the place of Foundation's when the program is linked.
