package io.psf.runtime.internal.server;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.FunctionMemory;
import io.psf.runtime.internal.server.handler.Choices;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.invocation.CallTarget;
import io.psf.runtime.internal.server.invocation.Invocation;
import io.psf.runtime.internal.server.invocation.ReceivedStep;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.node.LaneShard;
import io.psf.runtime.internal.server.session.Access;
import io.psf.runtime.internal.server.session.CallRecord;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.transport.Frame;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the function, the shard and the lane of a request. Immutable; callable from any thread. */
final class Router {
    private final HostNode node;
    private final Handlers handlers;
    private final Set<Integer> openToStrangers;

    /**
     * Creates a router.
     *
     * @param handlers the functions of the node
     * @param openToStrangers the functions that a connection may call before its peer is identified
     */
    Router(HostNode node, Handlers handlers, Set<Integer> openToStrangers) {
        this.node = node;
        this.handlers = handlers;
        this.openToStrangers = Set.copyOf(openToStrangers);
    }

    /**
     * Returns the invocation of a request, which owns the frame from then on.
     *
     * @param isChained true if the request is part of a chain
     * @param before the previous request of the chain; null for none
     * @param step the step of a task that the chain is; null for none
     * @throws PsException if this node has no such function or shard, or has it with another schema or layout
     */
    Invocation route(
            Connection connection,
            Frame frame,
            boolean isChained,
            @Nullable CallRecord before,
            @Nullable ReceivedStep step) {
        Choices choices = handlers.get(frame.function());
        if (choices == null) {
            // An unidentified peer does not receive the contents of the class path.
            throw new PsException(
                    Code.UNKNOWN_FUNCTION,
                    "function number: 0x" + Integer.toHexString(frame.function())
                            + " (expected: one that this node has a handler of: put the jar of its @PsHandler on the"
                            + " node's class path, with --classpath JAR of psf launch, server, scheduler or node"
                            + (connection.member() == null ? ")" : "; it searched " + handlers.searched() + ")"));
        }
        FunctionInfo info = choices.function();
        if (connection.member() == null && !openToStrangers.contains(info.id())) {
            throw new PsException(Code.PROTOCOL, "call of \"" + info.name() + "\" before the hello of the connection");
        }
        if (connection.isOfGuest() && !(info.readOnly() && info.place() == Place.SERVER)) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "call of \"" + info.name() + "\" by a guest (expected: a function that is readOnly, at servers)");
        }
        Access access = connection.rights().access();
        if (access != null && !access.allows(info.id())) {
            throw access.refusal(info, connection.isOfGuest() ? "a guest" : String.valueOf(connection.member()));
        }
        requireSchema(handlers.as(frame.function(), info), frame);
        LaneShard shard = choices.isOnShards() ? shard(frame) : null;
        if (shard != null && shard.owner() != null) {
            FunctionMemory.require(shard.owner(), shard.spec().id(), info.name());
        }
        CallTarget target = shard == null ? node : shard;
        Binding<?, ?> binding =
                shard == null ? choices.first() : choices.of(shard.shard().getClass());
        if (step != null && !info.readOnly()) {
            binding = step.once(binding, target.lane());
        }
        CallRecord record = isChained || Invocation.isRemembered(connection, info)
                ? new CallRecord(frame.call(), frame.slice(), frame.attempt())
                : null;
        return new Invocation(connection, frame, binding, target, record, before);
    }

    /** Checks that all requests of a chain run on one lane. */
    static Lane requireSame(@Nullable Lane before, Invocation invocation) {
        if (before != null && before != invocation.lane()) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "place of \"" + invocation.function().name()
                            + "\": on another lane than the call before it in the chain (expected: calls on the"
                            + " same tensor, on tensors beside each other, or on nodes)");
        }
        return invocation.lane();
    }

    private static void requireSchema(FunctionInfo info, Frame frame) {
        int version = frame.version();
        boolean agrees = version > info.version() // a newer peer compares when it connects
                || version >= 1 && frame.fingerprint() == info.fingerprint(version);
        if (!agrees) {
            throw new PsException(
                    Code.SCHEMA_MISMATCH,
                    "schema of \"" + info.name() + "\": version " + version + ", fingerprint 0x"
                            + Integer.toHexString(frame.fingerprint()) + " (expected: version " + info.version()
                            + ", fingerprint 0x" + Integer.toHexString(info.fingerprint()) + ", " + info.schema()
                            + ")");
        }
    }

    private LaneShard shard(Frame frame) {
        LaneShard shard = node.held().get(frame.tensor(), frame.slice());
        if (shard == null) {
            throw node.held().has(frame.tensor())
                    ? new PsException(
                            Code.STALE_LAYOUT, "slice " + frame.slice() + " (expected: one that this server owns)")
                    : new PsException(Code.UNKNOWN_TENSOR, "the tensor has not been initialized on this server");
        }
        if (shard.stamp() != frame.layout()) {
            throw new PsException(
                    Code.STALE_LAYOUT,
                    "layout of the tensor: the request has an outdated one (expected: "
                            + shard.spec().shape() + " with slice " + shard.range()
                            + ", which this server has)");
        }
        return shard;
    }
}
