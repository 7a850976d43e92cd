"""The command line: demo, audit, check, actions."""
