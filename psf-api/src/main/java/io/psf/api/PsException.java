package io.psf.api;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The one way in which a call, a node or a cluster fails: a code of a closed set, what was given and what was expected,
 * and where. A server never answers a failed call with an empty success.
 */
public final class PsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why something failed. The order is the number on the wire: append only. */
    public enum Code {
        /** Not a failure; never the code of an exception. */
        OK,
        /** The request contradicts the function or the tensor: a wrong length, a wrong argument. */
        BAD_REQUEST,
        /** No tensor of that name has been initialized. */
        UNKNOWN_TENSOR,
        /** The server has no handler of that function. */
        UNKNOWN_FUNCTION,
        /** The two sides were built from different declarations of a function. */
        SCHEMA_MISMATCH,
        /** The tensor is there already, with another declaration. */
        ALREADY_EXISTS,
        /** A key is not a row of the tensor, or not one that the shard owns. */
        OUT_OF_RANGE,
        /** The handler threw something. */
        HANDLER_FAILED,
        /** No answer came before the deadline. What the call changed, if anything, is not known. */
        TIMED_OUT,
        /** The node that should answer is lost, or cannot be reached. */
        UNAVAILABLE,
        /** The call was given up by the caller, or its thread was interrupted. */
        CANCELLED,
        /** Bytes that are not a frame of this protocol. */
        PROTOCOL,
        /** A setting is missing, malformed, or contradicts another. */
        CONFIGURATION,
        /** A bound on memory or size would be passed. */
        RESOURCE_EXHAUSTED,
        /** The worker, server or cluster has been closed. */
        CLOSED,
        /** A defect of psf itself. */
        INTERNAL,
        /** The tensor has been made anew since this worker asked where its slices are; the next call asks again. */
        STALE_LAYOUT,
        /** A file could not be written or read, or does not hold what was written to it. */
        STORAGE,
        /**
         * The caller's own code failed on the worker: the function's {@code merge} or {@code finish}, the check of one
         * of its records, or an interceptor.
         */
        CALLER_FAILED
    }

    private final Code code;
    private final String detail;
    private final @Nullable String function;
    private final @Nullable String tensor;
    private final @Nullable String slice;
    private final @Nullable String server;

    /** A failure without a place. */
    public PsException(Code code, String detail) {
        this(code, detail, null, null, null, null, null);
    }

    /** A failure without a place, and what brought it about. */
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
        super(message(code, detail, function, tensor, slice, server), cause);
        this.code = code;
        this.detail = Objects.requireNonNull(detail);
        this.function = function;
        this.tensor = tensor;
        this.slice = slice;
        this.server = server;
    }

    /**
     * The same failure, with the place filled in where it is not yet known.
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

    /** Why it failed. */
    public Code code() {
        return code;
    }

    /** What was given and what was expected, without code and place. */
    public String detail() {
        return detail;
    }

    /** The function's name, where it is known. */
    public @Nullable String function() {
        return function;
    }

    /** The tensor's name, where it is known. */
    public @Nullable String tensor() {
        return tensor;
    }

    /** The slice's keys, where they are known. */
    public @Nullable String slice() {
        return slice;
    }

    /** The server's rank and address, where they are known. */
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
