"""A worker of psf in Python's standard library, as docs/protocol.md describes one. It takes arrays of float32 and int64,
and does not connect again: a broken connection ends its calls."""

import bisect, hmac, itertools, queue, secrets, socket, struct, threading

from tuples import Body, number

CODES = """OK BAD_REQUEST UNKNOWN_TENSOR UNKNOWN_FUNCTION SCHEMA_MISMATCH ALREADY_EXISTS OUT_OF_RANGE HANDLER_FAILED
    TIMED_OUT UNAVAILABLE CANCELLED PROTOCOL CONFIGURATION RESOURCE_EXHAUSTED CLOSED INTERNAL STALE_LAYOUT STORAGE
    CALLER_FAILED ROLLED_BACK PERMISSION_DENIED""".split()
HEADER = struct.Struct("<iBbHIIIiqiHHii")
REQUEST, ANSWER, DONE, PING = 0xB1, 0xB2, 0xB3, 0xB7
SCHEDULER, SERVER, WORKER = range(3)
PROTOCOL = {"version": 1, "oldest": 1, "features": []}
GROWING = (1 << 62) + 1
MASK = (1 << 64) - 1


class PsError(Exception):
    """A call's failure: its code, and what was given and expected."""


def mixed(key):
    z = ((key & MASK) ^ (key & MASK) >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


class Layout:
    """The slices of a tensor, from the state of the cluster."""

    def __init__(self, rows, width, bounds, servers, version):
        self.rows, self.width, self.bounds, self.servers, self.version = rows, width, bounds, servers, version

    def slice(self, key):
        place = mixed(key) >> 2 if self.rows == GROWING else key
        if not 0 <= place < self.rows:
            raise PsError("OUT_OF_RANGE: key: %d (expected: a row in [0, %d))" % (key, self.rows))
        return bisect.bisect_right(self.bounds, place) - 1

    def stamp(self, s):
        z = 31 * (31 * (31 * self.rows + self.width) + self.bounds[s]) + self.bounds[s + 1]
        z = 31 * z + self.servers[s] * 0xBF58476D1CE4E5B9 + self.version * 0x94D049BB133111EB
        return (z * 0x9E3779B97F4A7C15 & MASK) >> 48


class Cut:
    """The parts of a call on shards: it cuts the request over the slices, and merges their answers."""

    def __init__(self, function, layout, values):
        self.function, self.layout, self.values, self.keys = function, layout, values, {}
        every = False
        for name, _, words in function.request:
            every |= words[:2] == ["by", "range"] or words[-2:] == ["every", "slice"]
            if words[:2] == ["by", "key"]:
                self.combine = "none" if len(words) == 2 else words[2]
                groups = self.keys[name] = [{} for _ in layout.servers]
                for at, key in enumerate(values[name]):
                    one = (key, at) if self.combine == "none" else key
                    groups[layout.slice(key)].setdefault(one, []).append(at)
        every |= not self.keys or any(words[:2] == ["by", "range"] for _, _, words in function.response)
        slices = range(len(layout.servers))
        self.slices = [s for s in slices if every or any(groups[s] for groups in self.keys.values())]

    def part(self, s):
        width, part = self.layout.width, {}
        for name, _, words in self.function.request:
            whole = self.values[name]
            if words[:2] == ["by", "range"]:
                whole = whole[self.layout.bounds[s] * width : self.layout.bounds[s + 1] * width]
            elif words[:2] == ["by", "key"]:
                whole = [whole[places[0]] for places in self.keys[name][s].values()]
            elif words[:1] == ["along"]:
                rows = self.keys[words[1]][s].values()
                whole = [each for places in rows for each in self.folded(whole, places, width)]
            part[name] = whole
        return part

    def folded(self, rows, places, width):
        places = places if self.combine == "sum" else places[-1:]
        return [sum(column) for column in zip(*(rows[at * width : (at + 1) * width] for at in places))]

    def merged(self, answers):
        width, response = self.layout.width, {}
        for name, _, words in self.function.response:
            parts = [(s, answers[s][name]) for s in self.slices]
            if words[:1] == ["along"]:
                whole = [0.0] * (width * len(self.values[words[1]]))
                for s, rows in parts:
                    for i, places in enumerate(self.keys[words[1]][s].values()):
                        for at in places:
                            whole[at * width : (at + 1) * width] = rows[i * width : (i + 1) * width]
            elif words[:1] in (["sum"], ["min"], ["max"]):
                whole = {"sum": sum, "min": min, "max": max}[words[0]](part for _, part in parts)
            else:  # rows of the slices, or lists, one after the other
                whole = [each for _, part in parts for each in part]
            response[name] = whole
        return response


def frame(kind, call=0, body=None, function=None, tensor=0, slice=0, layout=0, word=0, attempt=0, priority=0):
    body = body or Body()
    data = body.bytes()
    of = (function.version, number(function.name), function.fingerprint) if function else (0, 0, 0)
    sizes = (len(body.block), len(body.arrays))
    return HEADER.pack(48 + len(data), kind, priority, *of, tensor, slice, call, word, attempt, layout, *sizes) + data


def request(function, values):
    body = Body()
    for name, type, _ in function.request:
        body.put(type, values[name])
    return body


def done(below):
    body = Body()
    body.put(("copied", "i64"), [])
    return frame(DONE, below, body)


def credential(secret, role, rank, session, nonce):
    return hmac.digest(secret.encode(), struct.pack(">iiq", role, rank, session) + nonce, "sha256")


def proof(ticket, role, rank, since, cluster, session, connection, host, host_rank, nonce):
    said = struct.pack(">iiqqqiii", role, rank, since, cluster, session, connection, host, host_rank)
    return hmac.digest(ticket, said + nonce, "sha256")


class Connection:
    def __init__(self, host, port):
        self.socket, self.lock, self.calls = socket.create_connection((host, port)), threading.Lock(), {}
        threading.Thread(target=self.receive, daemon=True).start()

    def send(self, data):
        with self.lock:
            self.socket.sendall(data)

    def exactly(self, n):
        data = bytearray()
        while len(data) < n:
            more = self.socket.recv(n - len(data))
            if not more:
                raise OSError("the connection ended")
            data += more
        return bytes(data)

    def receive(self):
        try:
            while True:
                header = HEADER.unpack(self.exactly(48))
                length, kind, slice, call, word, sizes = header[0], header[1], *header[7:10], header[12:]
                body = Body(self.exactly(length - 48), *sizes)
                if kind == ANSWER and call == 0:
                    raise OSError(CODES[word] + ": " + body.get("string"))
                elif kind == ANSWER and call in self.calls:
                    self.calls[call].put((slice, word, body))
        except OSError as e:
            for waiting in list(self.calls.values()):
                waiting.put((0, CODES.index("UNAVAILABLE"), e))


class Worker:
    """A member of a cluster: joins it, and calls functions by their names."""

    def __init__(self, host, port, functions, secret=None):
        self.functions, self.numbers, self.pending, self.lock = functions, itertools.count(1), set(), threading.Lock()
        self.epoch, self.present, self.members, self.tensors, self.closed = 0, {}, [], {}, threading.Event()
        self.scheduler, session = Connection(host, port), secrets.randbits(63) | 1
        nonce = self.ask(self.scheduler, "psf.connection.challenge")["nonce"]
        place = {"host": "", "port": 0, "names": {"cluster": "", "node": ""}}
        me = {"protocol": PROTOCOL, "role": "WORKER", "rank": -1, "address": place, "session": session}
        me["credential"] = credential(secret, WORKER, -1, session, nonce) if secret else b""
        joined = self.ask(self.scheduler, "psf.cluster.join", **me)
        self.rank, self.since = joined["admission"]["rank"], joined["admission"]["since"]
        self.limit, self.keys = joined["limits"]["heartbeatMillis"] / 1000, joined["keys"]
        if self.since > 1:  # no number of an earlier worker of this rank may come again
            self.numbers = itertools.count(self.since - 1 << 32)
        self.apply([joined["state"]])
        threading.Thread(target=self.beat, daemon=True).start()
        self.servers = {m["rank"]: self.connected(m) for m in self.members if m["role"] == "SERVER"}
        threading.Thread(target=self.live, daemon=True).start()

    def connected(self, server):
        connection, session = Connection(server["host"], server["port"]), secrets.randbits(63) | 1
        nonce = self.ask(connection, "psf.connection.challenge")["nonce"]
        me = (WORKER, self.rank, self.since, self.keys["cluster"], session, 0)
        caller = {"role": "WORKER", "rank": self.rank, "since": self.since, "grant": self.keys["grant"]}
        hello = {"protocol": PROTOCOL, "caller": caller}
        hello["cluster"] = self.keys["cluster"]
        hello["session"] = {"session": session, "connection": 0}
        hello["proof"] = proof(self.keys["ticket"], *me, SERVER, server["rank"], nonce)
        for known in self.ask(connection, "psf.connection.hello", **hello)["functions"]:
            theirs, mine = known["schemas"].split("\n"), self.functions.get(known["name"])
            if mine and mine.versions[: len(theirs)][-1] != theirs[: mine.version][-1]:  # in the older of two versions
                raise PsError("SCHEMA_MISMATCH: %s (expected: %s)" % (mine.versions[-1], theirs[-1]))
        return connection

    def beat(self):
        try:
            while not self.closed.is_set():
                self.apply(self.ask(self.scheduler, "psf.cluster.beat", epoch=self.epoch, rules=0)["changes"])
        except PsError:  # each later call on the scheduler's connection says why
            pass

    def live(self):
        while not self.closed.wait(self.limit / 4):
            with self.lock:
                below = min(self.pending, default=next(self.numbers))
            for connection in [self.scheduler, *self.servers.values()]:
                connection.send(frame(PING) + done(below))

    def apply(self, changes):
        for change in changes:
            with self.lock:
                if change["epoch"] <= self.epoch or change["from"] not in (0, self.epoch):
                    continue
                whole = change["from"] == 0
                self.tensors = {} if whole else dict(self.tensors)
                self.present = {} if whole else self.present
                nodes = change["nodes"]
                if nodes is not None:
                    for place in nodes["gone"]:
                        self.present.pop((place["role"], place["rank"]), None)
                    for member in (node["member"] for node in nodes["joined"]):
                        self.present[member["role"], member["rank"]] = member
                    self.members = list(self.present.values())
                    if nodes["recovery"] is not None:
                        self.rollback = nodes["recovery"]["rollback"]
                for name in change["forgotten"]:
                    self.tensors.pop(name, None)
                for placed in change["placed"]:
                    info, slices = placed["declaration"]["info"], placed["slices"]
                    place = (info["rows"], info["width"], slices["bounds"], slices["servers"], placed["version"])
                    self.tensors[info["id"]] = Layout(*place)
                self.epoch = change["epoch"]

    def barrier(self):
        """Waits for the other workers."""
        self.call("psf.barrier", rollback=self.rollback)

    def ask(self, connection, name, **values):
        """Calls a function of one node, and returns its response."""
        return self.sent(self.functions[name], [(0, connection, values, {})])[0]

    def call(self, name, **values):
        """Calls a function: on the shards of its tensor, on all servers, or on the scheduler."""
        function = self.functions[name]
        if function.place == "SCHEDULER":
            return self.ask(self.scheduler, name, **values)
        elif function.place == "SERVER":
            ranks = sorted(self.servers)
            parts = [(i, self.servers[rank], values, {}) for i, rank in enumerate(ranks)]
            return Cut(function, Layout(0, 0, [], ranks, 0), values).merged(self.sent(function, parts))
        tensor = values.pop(function.target)
        layout = self.tensors[tensor]
        cut, parts = Cut(function, layout, values), []
        for s in cut.slices:
            header = {"tensor": number(tensor), "layout": layout.stamp(s)}
            parts.append((s, self.servers[layout.servers[s]], cut.part(s), header))
        return cut.merged(self.sent(function, parts))

    def sent(self, function, parts):
        """Sends the parts of a call, and returns their answers by slice."""
        with self.lock:
            call = next(self.numbers)
            self.pending.add(call)
        answers, waiting = {}, queue.Queue()
        try:
            for s, connection, values, header in parts:
                connection.calls[call] = waiting
                connection.send(frame(REQUEST, call, request(function, values), function, slice=s, word=60_000, **header))
            while len(answers) < len(parts):
                s, word, body = waiting.get(timeout=60)
                if word != 0:
                    detail = body.get("string") if isinstance(body, Body) else body
                    raise PsError("%s: %s in %s" % (CODES[word], detail, function.name))
                answers[s] = {name: body.get(type) for name, type, _ in function.response}
            return answers
        except OSError as e:
            raise PsError("UNAVAILABLE: %s in %s" % (e, function.name)) from e
        finally:
            with self.lock:
                self.pending.discard(call)
            for _, connection, _, _ in parts:
                connection.calls.pop(call, None)

    def close(self):
        self.call("psf.cluster.leave")
        self.closed.set()
