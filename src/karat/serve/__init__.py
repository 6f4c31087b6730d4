"""The local page: a workspace in memory, its views as HTML, and a small server that only this machine reaches."""
