package io.psf.runtime.internal.server;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.internal.server.invocation.Failures;
import io.psf.runtime.internal.server.invocation.Invocation;
import io.psf.runtime.internal.server.invocation.ReceivedStep;
import io.psf.runtime.internal.server.lane.ChainedCalls;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.lane.Turn;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.session.CallRecord;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.internal.server.session.PeerLimits;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the requests of a node's connections: finds the function and the shard, and queues the call on the shard's
 * lane, or runs it. An invalid request is answered to its sender with an error. Thread-safe.
 */
final class Requests {
    private static final Logger LOG = LoggerFactory.getLogger(Requests.class);

    private final HostNode node;
    private final FramePool pool;
    private final Router router;

    Requests(HostNode node, FramePool pool, Router router) {
        this.node = node;
        this.pool = pool;
        this.router = router;
    }

    /**
     * Takes a frame, which this object owns from then on.
     *
     * @throws PsException with {@code PROTOCOL} if the peer is not identified and the frame is no request: the
     *     connection has to end
     */
    void received(Connection connection, Frame frame) {
        connection.arrived();
        if (connection.member() == null && frame.kind() != Frame.Kind.REQUEST) {
            Frame.Kind kind = frame.kind();
            frame.release();
            throw new PsException(Code.PROTOCOL, "frame: " + kind + " before the hello (expected: REQUEST)");
        }
        switch (frame.kind()) {
            case REQUEST -> request(connection, frame);
            case CHAIN -> chain(connection, frame);
            case DONE -> done(connection, frame);
            default -> {
                PsException e =
                        new PsException(Code.PROTOCOL, "kind of frame: " + frame.kind() + " (expected: REQUEST)");
                refuse(connection, frame, e);
            }
        }
    }

    /**
     * Answers a request that is invalid here. If it has been sent before, it may have been valid then: what has run is
     * answered as it was.
     */
    private void refuse(Connection connection, Frame frame, PsException why) {
        LOG.debug("refused a request of {}: {}", connection.channel().peer(), why.getMessage());
        CallRecord earlier = frame.attempt() == 0 ? null : connection.answers().find(frame.call(), frame.slice());
        try {
            Frame answer = earlier == null
                    ? refusal(connection, frame, why)
                    : connection.answers().answer(earlier);
            if (answer != null) { // else the earlier request is under way, and will be answered
                connection.answer(answer);
            }
        } catch (PsException forgotten) {
            connection.answer(refusal(connection, frame, forgotten));
        } finally {
            frame.release();
        }
    }

    /** Returns an answer with an error, which says whether it is certain that the request has not run. */
    private Frame refusal(Connection connection, Frame frame, PsException why) {
        return frame.attempt() == 0 || connection.answers().hasAllOf(frame.call())
                ? Frames.refusal(pool, frame, why)
                : Frames.failure(pool, frame, frame.call(), why);
    }

    private void done(Connection connection, Frame frame) {
        try {
            long[] calls = frame.reader(null).longs();
            Set<Long> unanswered = new HashSet<>();
            if (connection.hasSession()) {
                unanswered.addAll(connection.answers().doneBelow(frame.call()));
            }
            for (long call : calls) {
                if (!connection.hasSession() || !connection.answers().done(call)) {
                    unanswered.add(call);
                }
            }
            node.cancel(connection, unanswered);
        } catch (PsException e) {
            LOG.debug("not understood, from {}: {}", connection.channel().peer(), e.getMessage());
        } finally {
            frame.release();
        }
    }

    private void request(Connection connection, Frame frame) {
        Invocation invocation;
        try {
            invocation = router.route(connection, frame, false, null, null);
            if (answerFromMemory(invocation, 0) != invocation.record()) {
                return;
            }
        } catch (PsException e) {
            refuse(connection, frame, e);
            return;
        }
        run(connection, invocation, invocation.isQuick(), invocation.lane(), frame.priority());
    }

    /** Runs a turn on this thread if it is quick and its lane is idle; otherwise queues it. */
    private static void run(Connection connection, Turn turn, boolean isQuick, Lane lane, int priority) {
        Channel channel = connection.channel();
        if (!isQuick || !channel.mayRunHandlers() || !lane.runHere(turn, channel)) {
            lane.execute(turn, priority);
        }
    }

    /** Queues the requests of a chain as one turn. If a request is refused, those behind it are refused as well. */
    private void chain(Connection connection, Frame frame) {
        int count;
        try {
            count = frame.requireChain();
            if (connection.isOfGuest()) {
                throw new PsException(Code.PROTOCOL, "chain of a guest (expected: one request in a frame)");
            }
        } catch (PsException e) {
            LOG.debug("refused a chain of {}: {}", connection.channel().peer(), e.getMessage());
            connection.answer(Frames.failure(pool, frame, 0, e)); // its own call is the task of a step
            frame.release();
            return;
        }
        ReceivedStep step = ReceivedStep.of(frame);
        List<Invocation> run = new ArrayList<>();
        int priority = Byte.MIN_VALUE;
        CallRecord before = null;
        Lane lane = null;
        PsException refused = takeMemory(connection, count);
        boolean isTaken = refused == null;
        for (Frame request : frame.requests()) {
            long taken = isTaken ? PeerLimits.REQUEST_OVERHEAD : 0;
            try {
                if (refused != null) {
                    throw refused;
                }
                Invocation invocation = router.route(connection, request, true, before, step);
                lane = Router.requireSame(lane, invocation);
                before = answerFromMemory(invocation, taken);
                if (before == invocation.record()) {
                    taken = 0;
                    run.add(invocation);
                    priority = Math.max(priority, request.priority());
                }
            } catch (PsException e) {
                refuse(connection, request, e);
                refused = refused == null ? Failures.afterFailed(e) : refused;
            }
            if (taken != 0) {
                connection.memory().decoded(-taken);
            }
        }
        if (!run.isEmpty()) {
            boolean isQuick = run.stream().allMatch(Invocation::isQuick);
            Lane ofAll = run.get(0).lane();
            run(connection, new ChainedCalls(run, ofAll), isQuick, ofAll, priority);
        }
    }

    /**
     * Takes the memory of the objects of a chain's requests. Returns the reason why they are all refused; null for
     * none.
     */
    private static @Nullable PsException takeMemory(Connection connection, int requests) {
        try {
            connection.memory().decoded((long) requests * PeerLimits.REQUEST_OVERHEAD);
            return null;
        } catch (PsException e) {
            return e;
        }
    }

    /**
     * Prevents a second run of a call that has arrived before.
     *
     * @param taken the bytes that were taken for what a request that runs has become
     * @return the record of the request that runs: of this one if it is new, else of the earlier one
     */
    private @Nullable CallRecord answerFromMemory(Invocation invocation, long taken) {
        Connection connection = invocation.connection();
        CallRecord record = invocation.record();
        CallRecord known = record == null || !invocation.isRemembered()
                ? null
                : connection.answers().begin(record);
        if (known == null) {
            invocation.queued(taken);
            return record;
        }
        Frame answer = connection.answers().answer(known);
        if (answer != null) {
            connection.answer(answer);
        }
        invocation.discard();
        return known;
    }
}
