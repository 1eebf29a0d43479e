package io.psf.api.spi;

import io.psf.api.TensorId;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One PS function as generated code tells it: the codec of its tuples, its partition and its merge. Stateless and
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

    /** What peers compare. */
    public final FunctionInfo info() {
        return info;
    }

    /** The tensor on whose shards the request runs; null unless the place is SHARD. */
    public @Nullable TensorId target(Q request) {
        return null;
    }

    /**
     * The key whose owner among the servers runs the request alone, {@link Routing#owner}; nothing if every node of the
     * place runs it.
     */
    public OptionalLong ownerKey(Q request) {
        return OptionalLong.empty();
    }

    /**
     * The tensors whose keys the request has besides the target's: one for each key set that names one, in the order of the
     * components.
     */
    public List<TensorId> others(Q request) {
        return List.of();
    }

    /**
     * Tells the routing of the request's laid-out arrays, which decides the slices that are touched.
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
     * Begins a merge.
     *
     * @param request for the caller's {@code merge} and {@code finish}, which may see it until the call ends
     * @param into whose laid-out arrays are filled; null to have them allocated
     * @throws io.psf.api.PsException with {@code BAD_REQUEST} if an array of {@code into} has the wrong length
     */
    public abstract Merge<R> merge(Q request, Routing routing, @Nullable R into);

    @Override
    public final String toString() {
        return info.name();
    }
}
