package io.psf.runtime.server;

import java.util.List;

/** The requests of one chain. They run without another request in between, unless one of them answers later. */
record Chained(List<Invocation> calls) implements Lane.Turn {
    Chained {
        calls = List.copyOf(calls);
    }

    @Override
    public void run() {
        calls.forEach(Invocation::run);
    }

    @Override
    public boolean precedes(Lane.Turn later) {
        return calls.stream().anyMatch(call -> call.precedes(later));
    }

    @Override
    public long arrival() {
        return calls.get(0).arrival();
    }
}
