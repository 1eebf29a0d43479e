package io.psf.runtime.server;

import io.psf.api.PsException;
import io.psf.runtime.server.session.Connection;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one connection on one shard, in the order sent: while one waits for its answer, the later ones wait
 * behind it. Belongs to the shard's lane.
 */
final class Sequence {
    private final LaneShard shard;
    private final Connection connection;
    private final Deque<Invocation> waiting = new ArrayDeque<>(1);
    /** The call that has to answer before the next one runs; null for none. */
    private @Nullable Invocation blocking;

    Sequence(LaneShard shard, Connection connection) {
        this.shard = shard;
        this.connection = connection;
    }

    /** Runs a call, or queues it behind those that wait. */
    void run(Invocation call) {
        if (blocking == null && waiting.isEmpty()) {
            runInTurn(call);
        } else {
            waiting.add(call);
        }
    }

    private void runInTurn(Invocation call) {
        if (!call.isNext(() -> continueAt(call))) {
            blocking = call;
        } else if (!connection.mayRun(() -> shard.lane().execute(this::resume))) {
            waiting.addFirst(call);
        } else {
            call.runNow();
            if (!call.isAnswered()) {
                blocking = call;
            }
        }
    }

    /** Continues after the previous call in the chain of a call has answered. */
    private void continueAt(Invocation call) {
        blocking = null;
        waiting.addFirst(call);
        resume();
    }

    /** Continues after a deferred call has answered. */
    void answered(Invocation call) {
        if (blocking == call) {
            blocking = null;
            shard.lane().execute(this::resume); // not here: this may be within another call's handler
        }
    }

    private void resume() {
        if (!connection.isOpen()) {
            shard.forget(connection);
            return;
        }
        while (blocking == null && !waiting.isEmpty()) {
            Invocation next = waiting.removeFirst();
            int waitingBefore = waiting.size();
            runInTurn(next);
            if (waiting.size() > waitingBefore) {
                return; // deferred again
            }
        }
    }

    /** Answers the waiting calls with an error. */
    void refuseWaiting(PsException why) {
        List<Invocation> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(call -> call.refuse(why));
    }
}
