"""Serves an ASGI application on a loopback address and on a port of the system's choice, which is written into the
file named by PORT_FILE."""
import os
import socket

import uvicorn


def serve(app):
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    with open(os.environ["PORT_FILE"], "w") as f:
        f.write(str(listener.getsockname()[1]))
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
