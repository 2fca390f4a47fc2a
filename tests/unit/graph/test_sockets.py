"""Sockets: who sends reaches who receives on the matching type, in one part of the code."""

from __future__ import annotations

from tests.unit.worlds import world
from tracer.graph.edges import edges_of

SERVER = """
    import zmq
    class Server:
        def __init__(self, ctx):
            self.inbox = make_socket(ctx, "a", zmq.ROUTER, bind=True)
            self.news = ctx.socket(zmq.PUB)
        def loop(self):
            while True:
                msg = self.inbox.recv_multipart()
        def tell(self):
            self.news.send(b"1")
"""
CLIENT = """
    import zmq
    class Client:
        def __init__(self, ctx):
            self.socks = []
            for n in range(2):
                self.socks.append(ctx.socket(zmq.DEALER))
        def ask(self, k):
            self.socks[k].send(b"1")
        def write(self, file):
            file.send(b"1")
    def listen(ctx):
        with opened(ctx, zmq.SUB) as sock:
            sock.recv()
    def other(ctx):
        with opened(ctx, zmq.PULL) as sock:
            sock.recv()
"""


def crossed(w):
    return {(e.source.split(".", 2)[-1], e.target.split(".", 2)[-1]) for e in edges_of(w) if e.kind == "process"}


def test_types_and_fields_join_the_ends_in_one_folder_and_not_in_another():
    expected = {("Client.ask", "Server.loop"), ("Server.tell", "listen")}
    assert crossed(world(p__server_py=SERVER, p__client_py=CLIENT)) == expected
    assert crossed(world(p__server_py=SERVER, q__client_py=CLIENT)) == set()


def test_a_socket_kept_by_way_of_a_local_is_the_fields_socket():
    code = """
        import zmq
        from dataclasses import dataclass
        @dataclass
        class Pair:
            talk: object
            watch: object
        class Peer:
            def __init__(self, ctx):
                self.by_name = {}
                self.rows = []
                sock = ctx.socket(zmq.REQ)
                self.by_name["a"] = sock
                other = made(ctx, "b", zmq.PUSH)
                self.rows.append(other)
                dealer = ctx.socket(zmq.DEALER)
                self.pair = Pair(dealer, None)
            def ask(self, name):
                sock = self.by_name[name]
                sock.send(b"1")
            def push(self, k):
                self.rows[k].send_multipart([b"1"])
            def talk(self):
                self.pair.talk.send(b"1")
        class Server:
            def __init__(self, ctx):
                self.rep = ctx.socket(zmq.REP)
                self.pull = ctx.socket(zmq.PULL)
                self.router = ctx.socket(zmq.ROUTER)
            def answers(self):
                self.rep.recv()
            def takes(self):
                self.pull.recv()
            def routes(self):
                self.router.recv_multipart()
    """
    assert crossed(world(p__one_py=code)) == {
        ("Peer.ask", "Server.answers"),
        ("Peer.ask", "Server.routes"),
        ("Peer.push", "Server.takes"),
        ("Peer.talk", "Server.answers"),
        ("Peer.talk", "Server.routes"),
    }
