package io.psf.api.spi;

import io.psf.api.TensorId;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One PS function, implemented by generated code: the codec of its tuples, its partition and its merge. Stateless and
 * thread-safe.
 *
 * @param <Q> the request
 * @param <R> the response
 */
public abstract class Function<Q, R> {
    private final FunctionInfo info;

    protected Function(FunctionInfo info) {
        this.info = info;
    }

    /** Returns the description that peers compare. */
    public final FunctionInfo info() {
        return info;
    }

    /** Returns the tensor on whose shards the request runs; null unless the place is SHARD. */
    public @Nullable TensorId target(Q request) {
        return null;
    }

    /**
     * Returns the key that chooses the only server that runs the request, the owner of its {@link Routing#partition};
     * empty if every node of the place runs it.
     */
    public OptionalLong ownerKey(Q request) {
        return OptionalLong.empty();
    }

    /**
     * Returns the tensors, other than the target, whose keys the request has: one for each key set that names a tensor,
     * in the order of the components.
     */
    public List<TensorId> others(Q request) {
        return List.of();
    }

    /**
     * Describes the request's arrays with layouts to the routing, which determines the slices that get a request.
     *
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} or {@code OUT_OF_RANGE}
     */
    public void route(Q request, Routing routing) {}

    /** Writes the slice of the request that part {@code part} of the routing gets. */
    public abstract void write(Q request, Routing routing, int part, TupleWriter out);

    /** Reads a slice of a request. */
    public abstract Q read(TupleReader in);

    /** Writes the answer of one slice. */
    public abstract void writeAnswer(R answer, TupleWriter out);

    /**
     * Starts a merge.
     *
     * @param request the request, which is passed to the caller's {@code merge} and {@code finish}; they may read it
     *     until the call ends
     * @param into a response whose arrays with layouts are filled; null to allocate them
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if an array of {@code into} has the wrong length
     */
    public abstract Merge<R> merge(Q request, Routing routing, @Nullable R into);

    @Override
    public final String toString() {
        return info.name();
    }
}
