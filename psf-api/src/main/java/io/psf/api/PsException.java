package io.psf.api;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The only exception by which a call, a node or a cluster fails. It has a code of a closed set, the given and the
 * expected value, and the place of the failure. A server never answers a failed call with an empty success.
 *
 * <p>Its texts may quote a peer, a file or a user. They stay on one line: control characters in them are escaped.
 */
public final class PsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The reason of a failure. A constant's position is its number on the wire: append only. */
    public enum Code {
        /** Not a failure; never the code of an exception. */
        OK,
        /** The request contradicts the function or the tensor, for example by a wrong length or a wrong argument. */
        BAD_REQUEST,
        /** No tensor of that name has been initialized. */
        UNKNOWN_TENSOR,
        /** The server has no handler for the function, or none for the kind of the tensor's shards. */
        UNKNOWN_FUNCTION,
        /** The two sides were built from different declarations of a function. */
        SCHEMA_MISMATCH,
        /** The tensor exists already, with another declaration. */
        ALREADY_EXISTS,
        /** A key is not a row of the tensor, or is not owned by the shard. */
        OUT_OF_RANGE,
        /** The handler threw an exception. */
        HANDLER_FAILED,
        /**
         * No answer arrived before the deadline. It is not known what the call changed, if anything, unless the message
         * says it: a push to a synchronous tensor that {@code was not applied} has changed nothing on the slice.
         */
        TIMED_OUT,
        /** The node that should answer is lost or cannot be reached. */
        UNAVAILABLE,
        /** The caller cancelled the call, or its thread was interrupted. */
        CANCELLED,
        /** The received bytes are not a frame of this protocol. */
        PROTOCOL,
        /** A setting is missing, malformed, or contradicts another. */
        CONFIGURATION,
        /** A limit on memory or size would be exceeded. */
        RESOURCE_EXHAUSTED,
        /** The worker, server or cluster has been closed. */
        CLOSED,
        /** A defect of psf itself. */
        INTERNAL,
        /**
         * The tensor was created again after the caller had requested the location of its slices. The caller repeats
         * such a call itself, by the new location, until its deadline. The call fails if a shard has run it that would
         * run it twice, or if it is part of a chain; the next call requests the location again.
         */
        STALE_LAYOUT,
        /** A file could not be written or read, or its content is not what was written to it. */
        STORAGE,
        /**
         * The caller's own code failed on the worker: the function's {@code merge} or {@code finish}, the check of one
         * of its records, or an interceptor.
         */
        CALLER_FAILED,
        /**
         * A server was lost, and has come back with the state of a checkpoint. The worker loads that checkpoint
         * together with the other workers, and continues from its step. Of a call of a task: the slice has gone back to
         * a state without changes that this attempt has made; the task has to be run again.
         */
        ROLLED_BACK,
        /** The rules of the cluster do not allow the call, or the role, to the node ({@code PSF_PERMISSIONS}). */
        PERMISSION_DENIED,
        /**
         * Another attempt of the caller's task has changed the slice, and the two may make different changes. The work
         * is repeated from a state before the task.
         */
        OTHER_ATTEMPT
    }

    private final Code code;
    private final String detail;
    private final @Nullable String function;
    private final @Nullable String tensor;
    private final @Nullable String slice;
    private final @Nullable String server;

    /** Creates a failure without a place. */
    public PsException(Code code, String detail) {
        this(code, detail, null, null, null, null, null);
    }

    /** Creates a failure without a place, with the cause of the failure. */
    public PsException(Code code, String detail, @Nullable Throwable cause) {
        this(code, detail, null, null, null, null, cause);
    }

    private PsException(
            Code code,
            String detail,
            @Nullable String function,
            @Nullable String tensor,
            @Nullable String slice,
            @Nullable String server,
            @Nullable Throwable cause) {
        super(Names.printable(message(code, detail, function, tensor, slice, server)), cause);
        this.code = code;
        this.detail = Names.printable(Objects.requireNonNull(detail));
        this.function = function;
        this.tensor = tensor;
        this.slice = slice;
        this.server = server;
    }

    /**
     * Returns a copy of this failure whose unknown parts of the place are filled in.
     *
     * @param function the function's name
     * @param tensor the tensor's name
     * @param slice the slice, for example {@code [128, 256)}
     * @param server the server, for example {@code server 1 (127.0.0.1:4081)}
     */
    public PsException at(
            @Nullable String function, @Nullable String tensor, @Nullable String slice, @Nullable String server) {
        PsException placed = new PsException(
                code,
                detail,
                this.function != null ? this.function : function,
                this.tensor != null ? this.tensor : tensor,
                this.slice != null ? this.slice : slice,
                this.server != null ? this.server : server,
                getCause());
        placed.setStackTrace(getStackTrace());
        for (Throwable other : getSuppressed()) {
            placed.addSuppressed(other);
        }
        return placed;
    }

    /** Returns the reason of the failure. */
    public Code code() {
        return code;
    }

    /** Returns the given and the expected value, without the code and the place. */
    public String detail() {
        return detail;
    }

    /** Returns the function's name; null if not known. */
    public @Nullable String function() {
        return function;
    }

    /** Returns the tensor's name; null if not known. */
    public @Nullable String tensor() {
        return tensor;
    }

    /** Returns the slice's keys; null if not known. */
    public @Nullable String slice() {
        return slice;
    }

    /** Returns the server's rank and address; null if not known. */
    public @Nullable String server() {
        return server;
    }

    private static String message(
            Code code,
            String detail,
            @Nullable String function,
            @Nullable String tensor,
            @Nullable String slice,
            @Nullable String server) {
        StringBuilder text = new StringBuilder(code.name()).append(": ").append(detail);
        if (function != null) {
            text.append(" in ").append(function);
        }
        if (tensor != null) {
            text.append(" on tensor \"").append(tensor).append('"');
        }
        if (slice != null) {
            text.append(", slice ").append(slice);
        }
        if (server != null) {
            text.append(", ").append(server);
        }
        return text.toString();
    }
}
