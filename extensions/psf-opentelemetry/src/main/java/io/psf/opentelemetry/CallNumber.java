package io.psf.opentelemetry;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.psf.api.CallPart;
import java.util.HexFormat;

/**
 * The numbers of a call from which worker and servers derive the same trace: nothing is sent for it.
 *
 * @param cluster the cluster's identity
 * @param worker the rank of the worker, or the number of the client
 * @param call the call's number
 */
record CallNumber(String cluster, int worker, long call) {
    /** The odd constant of a multiplicative hash: 2^64 divided by the golden ratio. */
    private static final long MIX = 0x9E3779B97F4A7C15L;

    static CallNumber of(String cluster, CallPart part) {
        return new CallNumber(cluster, part.worker(), part.call());
    }

    private long hash(long seed) {
        long hash = seed;
        for (long part : new long[] {cluster.hashCode(), worker, call}) {
            hash = (hash ^ part) * MIX;
            hash ^= hash >>> 32; // the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), shortened
        }
        return hash == 0 ? 1 : hash;
    }

    /**
     * True if the call is one of a share of all calls: the same on both sides.
     *
     * @param share from 0 to 1
     */
    boolean isSampled(double share) {
        return (hash(3) >>> 11) * 0x1p-53 < share;
    }

    /** Returns the common parent of the call's spans. */
    SpanContext parent() {
        HexFormat hex = HexFormat.of();
        return SpanContext.createFromRemoteParent(
                hex.toHexDigits(hash(0)) + hex.toHexDigits(hash(1)),
                hex.toHexDigits(hash(2)),
                TraceFlags.getSampled(),
                TraceState.getDefault());
    }
}
